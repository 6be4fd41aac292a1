# One connection over on/off sources with Pareto periods, after Salleh and Abu Bakar, for ns-2.35.
#   ns selfsimilar.tcl key=value ...
# keys: variant   Tahoe, Newreno, Vegas or Sack1; UDP for a source of constant rate without TCP; none for the sources alone
#       rate      bit/s of data that the connection is given to send, 0 for endless data
#       window    advertised window, packets
#       sources   number of on/off sources; size, bytes of their packets; carrier, udp or tcp
#       skip      first draws of each source's generator that are left out
#       lost      packets of a million that the link to y loses
#       steps     1: the link to y has room for 40 packets and carries 8, 2 and 4 Mb/s, from 0, 30 and 60 s on
#       seed      of the random numbers
#       trace     a file for the trace of rtt_ and nrexmitpack_ (- for none)
#       packets   a file for the packets that enter the links x->A and B->y (- for none)
#       every     s between lines
# Runs 100 s and prints a line every so many seconds:
#   bin BACKGROUND RECEIVED CWND     bytes of the sources that reached A, and bytes that reached the link to y, since the
#                                    last; the window in packets
# (times of lines are summed up, so that of 10,000 the last is after the end and not printed), and at the end
#   counts ARRIVALS DROPS RETRANSMISSIONS ACKS TIMEOUTS      of the connection; arrivals are those at the link to y
#   gateway ARRIVALS ARRIVED_SOURCES DROPPED_SOURCES         packets at A: of the connection, of the sources
#   behind DEPARTURES DROPS                                  packets that left for y, and those that this link dropped
# What is not set here stays as ns-2.35 ships it. Vegas adds no header to its packets.

array set o {variant Newreno rate 0 window 10000 sources 40 size 1000 carrier udp skip 100 lost 0 steps 0 seed 1
  trace - packets - every 0.01}
foreach argument $argv {
  regexp {^(\w+)=(.*)$} $argument all key value
  if {![info exists o($key)]} { error "$argument: no such key" }
  set o($key) $value
}
set duration 100

set ns [new Simulator]
$ns use-scheduler Calendar
$defaultRNG seed $o(seed)
set starts [new RNG]
$starts seed [expr 7000 + $o(seed)]
remove-all-packet-headers
add-packet-header IP TCP Flags
$ns rtproto Manual
foreach node {A B Z x y} { set $node [$ns node] }
$ns duplex-link $A $B 50Mb 25ms DropTail
$ns queue-limit $A $B 10
$ns queue-limit $B $A 100000
Agent/TCP set tcpTick_ 0.001

proc access {a b delay} {
  global ns
  $ns duplex-link $a $b 100Mb $delay DropTail
  $ns queue-limit $a $b 100000
  $ns queue-limit $b $a 100000
}
proc default_route {a b} { [$a get-module Manual] add-route-to-adj-node -default $b }
proc route {a b} { [$a get-module Manual] add-route-to-adj-node $b }
access $x $A 0.01
access $B $y 0.0025
access $B $Z 0.0025
foreach {a b} [list $x $A $A $B $B $A $y $B $Z $B] { default_route $a $b }
foreach {a b} [list $A $x $B $y $B $Z] { route $a $b }

# Sources over UDP are at A itself: a link of their own would only delay all of them alike.
set null [new Agent/Null]
$ns attach-agent $B $null
for {set i 1} {$i <= $o(sources)} {incr i} {
  if {$o(carrier) eq "udp"} {
    set agent [new Agent/UDP]
    $ns attach-agent $A $agent
    $ns connect $agent $null
    $agent set packetSize_ [expr $o(size) + 100]
  } else {
    set node [$ns node]
    access $node $A 0.01
    default_route $node $A
    route $A $node
    set agent [new Agent/TCP]
    set sink [new Agent/TCPSink]
    $agent set packetSize_ $o(size)
    $agent set window_ 20
    $ns attach-agent $node $agent
    $ns attach-agent $Z $sink
    $ns connect $agent $sink
  }
  $agent set fid_ 1
  set generator [new RNG]
  $generator seed [expr 100000 * $o(seed) + $i]
  for {set draw 0} {$draw < $o(skip)} {incr draw} { $generator uniform 0 1 }
  set source [new Application/Traffic/Pareto]
  $source use-rng $generator
  foreach {name value} [list packetSize_ $o(size) burst_time_ 0.5 idle_time_ 0.5 rate_ 1000k shape_ 1.2] {
    $source set $name $value
  }
  $source attach-agent $agent
  $ns at [$starts uniform 0 1] "$source start"
}

set tcp ""
if {$o(variant) eq "UDP"} {
  set agent [new Agent/UDP]
  $agent set packetSize_ 2000
  $agent set fid_ 0
  set sink [new Agent/Null]
  $ns attach-agent $x $agent
  $ns attach-agent $y $sink
  $ns connect $agent $sink
  set flow [new Application/Traffic/CBR]
  $flow set packetSize_ 1040
  $flow set rate_ [expr $o(rate) * 1.04]
  $flow attach-agent $agent
  $ns at 0.0 "$flow start"
} elseif {$o(variant) ne "none"} {
  set tcp [expr {$o(variant) eq "Tahoe" ? [new Agent/TCP] : [new Agent/TCP/$o(variant)]}]
  set sink [expr {$o(variant) eq "Sack1" ? [new Agent/TCPSink/Sack1] : [new Agent/TCPSink]}]
  $tcp set fid_ 0
  $tcp set packetSize_ 1000
  $tcp set window_ $o(window)
  $ns attach-agent $x $tcp
  $ns attach-agent $y $sink
  $ns connect $tcp $sink
  if {$o(rate) > 0} {
    set flow [new Application/Traffic/CBR]
    $flow set packetSize_ 1000
    $flow set rate_ $o(rate)
  } else { set flow [new Application/FTP] }
  $flow attach-agent $tcp
  $ns at 0.0 "$flow start"
}

if {$o(lost) > 0} {
  set generator [new RNG]
  $generator seed [expr 7777777 + 1000 * $o(seed)]
  for {set draw 0} {$draw < 100} {incr draw} { $generator uniform 0 1 }
  set uniform [new RandomVariable/Uniform]
  $uniform use-rng $generator
  set errors [new ErrorModel]
  $errors unit pkt
  $errors set rate_ [expr $o(lost) / 1e6]
  $errors ranvar $uniform
  $errors drop-target [new Agent/Null]
  $ns lossmodel $errors $B $y
}
if {$o(steps)} {
  $ns queue-limit $B $y 40
  foreach {at rate} {0.0 8Mb 30.0 2Mb 60.0 4Mb} {
    $ns at $at "[[$ns link $B $y] link] set bandwidth_ $rate"
  }
}

set gateway [$ns makeflowmon Fid]
$ns attach-fmon [$ns link $A $B] $gateway
set received [$ns monitor-queue $B $y ""]
set acked [$ns monitor-queue $A $x ""]
proc of_flow {number what} {
  global gateway
  foreach flow [$gateway flows] { if {[$flow set flowid_] == $number} { return [$flow set $what] } }
  return 0
}
set last_background 0
set last_received 0
proc sample {} {
  global ns o received last_background last_received tcp
  set background [of_flow 1 barrivals_]
  set now [$received set barrivals_]
  set window [expr {$tcp eq "" ? 0 : [$tcp set cwnd_]}]
  puts "bin [expr $background - $last_background] [expr $now - $last_received] $window"
  set last_background $background
  set last_received $now
  $ns at [expr [$ns now] + $o(every)] sample
}
$ns at $o(every) sample
if {$o(trace) ne "-"} {
  set file [open $o(trace) w]
  $tcp attach $file
  $tcp trace nrexmitpack_
  $tcp trace rtt_
}
if {$o(packets) ne "-"} {
  set entered [open $o(packets) w]
  $ns trace-queue $x $A $entered
  $ns trace-queue $B $y $entered
}
proc finish {} {
  global received acked tcp
  set again [expr {$tcp eq "" ? 0 : [$tcp set nrexmitpack_]}]
  set timeouts [expr {$tcp eq "" ? 0 : [$tcp set nrexmit_]}]
  puts "counts [$received set parrivals_] [of_flow 0 pdrops_] $again [$acked set parrivals_] $timeouts"
  puts "gateway [of_flow 0 parrivals_] [of_flow 1 parrivals_] [of_flow 1 pdrops_]"
  puts "behind [$received set pdepartures_] [$received set pdrops_]"
  exit 0
}
$ns at $duration finish
$ns run
