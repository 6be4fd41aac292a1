# The dumbbell of Feng and Tinnakornsrisuphap for ns-2.35: Poisson clients, a gateway, a server; data goes one way.
#   ns dumbbell.tcl key=value ...
# keys: protocol  of the clients that start at 0 s: UDP, Reno, RenoDelAck or Vegas
#       clients   number of these
#       added     number of clients that start later; joining their protocol; start when, in s
#       queue     DropTail or RED; buffer, in packets; low and high, RED's thresholds; weight, its averaging weight
#       overhead  longest processing time before a TCP sends, in s
#       defaults  ns2-2.35, or ns2-2000 for the constants that ns had then
#       seed      of the random numbers
#       duplicates  a file for the trace of duplicate ACKs (- for none)
#       windows   1: print every client's cwnd_ each 0.1 s
# Runs 200 s and prints a line for each 0.1 s:
#   bin ARRIVALS DROPS QUEUE      packets at the gateway; packets that wait at its end
#   w CWND ...                    with windows=1
# and at the end
#   gateway ARRIVALS DEPARTURES DROPS
#   class NUMBER ARRIVALS DEPARTURES DROPS          where clients were added: 1 for the first ones, 2 for these
#   client CLASS GOODPUT TIMEOUTS CUTS              packets delivered in order, timeouts, cuts of the window
# What is not set here stays as ns-2.35 ships it. Vegas sends no SYN and does not add headers to a packet: its size is
# set to all of the 1500 bytes. UDP counts what arrives.

array set o {protocol Reno clients 20 added 0 joining Reno start 1.0 queue DropTail buffer 50 low 10 high 40 weight 0.002
  overhead 0 defaults ns2-2.35 seed 1 duplicates - windows 0}
foreach argument $argv {
  regexp {^(\w+)=(.*)$} $argument all key value
  if {![info exists o($key)]} { error "$argument: no such key" }
  set o($key) $value
}
set duration 200
set bins [expr {10 * $duration}]
set data 1460

remove-all-packet-headers
add-packet-header IP TCP Flags RTP

set ns [new Simulator]
$ns use-scheduler Calendar
$defaultRNG seed $o(seed)

Agent/TCP set window_ 20
Agent/TCP set maxcwnd_ 0
Agent/TCP set overhead_ $o(overhead)
Agent/TCP/Vegas set v_alpha_ 1
Agent/TCP/Vegas set v_beta_ 3
Agent/TCP/Vegas set v_gamma_ 1
if {$o(defaults) eq "ns2-2000"} {
  set data 1500
  foreach {name value} {useHeaders_ false tcpTick_ 0.1 minrto_ 0 maxrto_ 100000 rfc2988_ false rtxcur_init_ 6.0
      updated_rttvar_ false timerfix_ false windowInit_ 1 syn_ false delay_growth_ false singledup_ 0
      exitFastRetrans_ false precisionReduce_ false bugfix_ss_ 0} {
    Agent/TCP set $name $value
  }
  Agent/TCPSink set RFC2581_immediate_ack_ false
  Agent/TCPSink set SYN_immediate_ack_ false
  Queue/RED set use_mark_p_ false
}
Agent/TCP set packetSize_ $data
foreach {name value} [list thresh_ $o(low) maxthresh_ $o(high) linterm_ 10 q_weight_ $o(weight) gentle_ false \
    mean_pktsize_ 500 bytes_ false queue_in_bytes_ false adaptive_ 0 setbit_ false] {
  Queue/RED set $name $value
}

set gateway [$ns node]
set server [$ns node]
$ns simplex-link $gateway $server 50Mb 25ms $o(queue)
$ns simplex-link $server $gateway 50Mb 25ms DropTail
$ns queue-limit $gateway $server $o(buffer)
$ns queue-limit $server $gateway 100000

set all [expr {$o(clients) + $o(added)}]
for {set i 1} {$i <= $all} {incr i} {
  set class [expr {$i <= $o(clients) ? 1 : 2}]
  set protocol [expr {$class == 1 ? $o(protocol) : $o(joining)}]
  set node [$ns node]
  $ns duplex-link $node $gateway 10Mb 25ms DropTail
  $ns queue-limit $node $gateway 100000
  $ns queue-limit $gateway $node 100000

  # Bursts of one packet and no length: a Poisson process of 100 packets/s.
  set source [new Application/Traffic/Exponential]
  $source set burst_time_ 0
  $source set idle_time_ 0.01
  $source set rate_ 10000000Mb
  switch $protocol {
    UDP { set sender [new Agent/UDP]; set receiver [new Agent/LossMonitor]; set size 1500 }
    Reno { set sender [new Agent/TCP/Reno]; set receiver [new Agent/TCPSink]; set size $data }
    RenoDelAck { set sender [new Agent/TCP/Reno]; set receiver [new Agent/TCPSink/DelAck]; set size $data }
    Vegas { set sender [new Agent/TCP/Vegas]; set receiver [new Agent/TCPSink]; set size 1500 }
  }
  $source set packetSize_ $size
  if {$size == 1500} { $sender set packetSize_ 1500 }
  $sender set fid_ $class
  $ns attach-agent $node $sender
  $ns attach-agent $server $receiver
  $ns connect $sender $receiver
  $source attach-agent $sender
  $ns at [expr {$class == 1 ? 0.0 : $o(start)}] "$source start"
  set clients($i) [list $class $protocol $sender $receiver]
}

if {$o(duplicates) ne "-"} {
  set trace [open $o(duplicates) w]
  for {set i 1} {$i <= $all} {incr i} {
    lassign $clients($i) class protocol sender
    if {$protocol ne "UDP"} { $sender attach $trace; $sender trace dupacks_ }
  }
}

if {$o(added)} {
  set monitor [$ns makeflowmon Fid]
  $ns attach-fmon [$ns link $gateway $server] $monitor
} else {
  set monitor [$ns monitor-queue $gateway $server ""]
}

set before {0 0}
proc sample {bin} {
  global ns o monitor before clients all bins
  set now [list [$monitor set parrivals_] [$monitor set pdrops_]]
  puts "bin [expr {[lindex $now 0] - [lindex $before 0]}] [expr {[lindex $now 1] - [lindex $before 1]}] [$monitor set pkts_]"
  set before $now
  if {$o(windows)} {
    set line w
    for {set i 1} {$i <= $all} {incr i} { append line [format " %.6f" [[lindex $clients($i) 2] set cwnd_]] }
    puts $line
  }
  if {$bin < $bins} { $ns at [expr {0.1 * ($bin + 1)}] "sample [expr {$bin + 1}]" } else { finish }
}

proc finish {} {
  global o monitor clients all trace
  if {[info exists trace]} { close $trace }
  puts "gateway [$monitor set parrivals_] [$monitor set pdepartures_] [$monitor set pdrops_]"
  if {$o(added)} {
    foreach flow [$monitor flows] {
      puts "class [$flow set flowid_] [$flow set parrivals_] [$flow set pdepartures_] [$flow set pdrops_]"
    }
  }
  for {set i 1} {$i <= $all} {incr i} {
    lassign $clients($i) class protocol sender receiver
    if {$protocol eq "UDP"} {
      puts "client $class [$receiver set npkts_] 0 0"
    } else {
      set delivered [expr {[$receiver set bytes_] / 1500}]
      puts "client $class $delivered [$sender set nrexmit_] [$sender set ncwndcuts1_]"
    }
  }
  exit 0
}
$ns at 0.1 "sample 1"
$ns run
