# The dumbbell of Qiu, Zhang and Keshav for ns-2.35: Reno connections without end share one slow link.
#   ns pipe.tcl key=value ...
# keys: flows     number of connections
#       rate      of the bottleneck, bit/s; delay, one way, in s; buffer, in packets
#       overhead  longest processing time before a TCP sends, in s
#       from, to  what is counted, in s; spread: connections start at random within so many seconds
#       limit     longest retransmission timeout, in s
#       modern    1: the TCP as 2.35 has it; syn: 1: the first packet is a SYN of 40 bytes; tick: of the clock, in s
#       ratio     two groups: the sources of the first are 1 ms away, the propagation delay of the others is so many
#                 times as long; 0: one group, next to the router
#       seed      of the random numbers
#       drops     a file for the trace of drops, acks one for that of ACKs (- for none)
#       every     s between samples of the queue
# Prints
#   queue TIME PACKETS            at each sample
#   link ARRIVALS DEPARTURES DROPS WAITED      WAITED: packets times seconds
#   flow SENT ARRIVALS DROPS ACKED SRTT RTO    the means of 40 samples of these two, in s
# What is not set here stays as ns-2.35 ships it; the TCP is that of 1999, unless it is modern.

array set o {flows 100 rate 1.6e6 delay 0.05 buffer 400 overhead 0 from 100 to 500 spread 1.0 limit 64 modern 0 syn 0
  tick 0 ratio 0 seed 1 drops - acks - every 0.1}
foreach argument $argv {
  regexp {^(\w+)=(.*)$} $argument all key value
  if {![info exists o($key)]} { error "$argument: no such key" }
  set o($key) $value
}
set wire 0.000001
set near 0.001

set ns [new Simulator]
$ns use-scheduler Calendar
$defaultRNG seed $o(seed)
set starts [new RNG]
$starts seed [expr {1000 + $o(seed)}]
remove-all-packet-headers
add-packet-header IP TCP Flags
$ns rtproto Manual

Agent/TCP set useHeaders_ false
Agent/TCP set packetSize_ 500
Agent/TCP set window_ 100000
Agent/TCP set overhead_ $o(overhead)
if {!$o(modern)} {
  foreach {name value} [list windowInit_ 1 singledup_ 0 tcpTick_ 0.1 rfc2988_ false rtxcur_init_ 6.0 minrto_ 0.2 \
      maxrto_ $o(limit) precisionReduce_ false timerfix_ false syn_ [expr {$o(syn) ? "true" : "false"}]] {
    Agent/TCP set $name $value
  }
}
if {$o(tick)} { Agent/TCP set tcpTick_ $o(tick) }
set tick [Agent/TCP set tcpTick_]

set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right $o(rate) $o(delay) DropTail
$ns queue-limit $left $right $o(buffer)
$ns queue-limit $right $left 1000000
set at_left [$left get-module Manual]
set at_right [$right get-module Manual]
$at_left add-route-to-adj-node -default $right
$at_right add-route-to-adj-node -default $left
for {set i 0} {$i < $o(flows)} {incr i} {
  set away $wire
  if {$o(ratio)} {
    set away [expr {$i < $o(flows) / 2 ? $near : $o(ratio) * ($near + $o(delay)) - $o(delay)}]
  }
  set source [$ns node]
  set sink [$ns node]
  $ns duplex-link $source $left 10Mb $away DropTail
  $ns duplex-link $right $sink 10Mb $wire DropTail
  foreach {from to} [list $source $left $left $source $right $sink $sink $right] { $ns queue-limit $from $to 1000000 }
  [$source get-module Manual] add-route-to-adj-node -default $left
  [$sink get-module Manual] add-route-to-adj-node -default $right
  $at_left add-route-to-adj-node $source
  $at_right add-route-to-adj-node $sink
  set tcp($i) [new Agent/TCP/Reno]
  set receiver [new Agent/TCPSink]
  $ns attach-agent $source $tcp($i)
  $ns attach-agent $sink $receiver
  $ns connect $tcp($i) $receiver
  $tcp($i) set fid_ $i
  set ftp [new Application/FTP]
  $ftp attach-agent $tcp($i)
  $ns at [$starts uniform 0 $o(spread)] "$ftp start"
}

set monitor [$ns makeflowmon Fid]
$ns attach-fmon [$ns link $left $right] $monitor
$monitor set-bytes-integrator [new Integrator]
set waited [new Integrator]
$monitor set-pkts-integrator $waited

if {$o(drops) ne "-"} {
  set trace(drops) [open $o(drops) w]
  set tracer [$ns create-trace Drop $trace(drops) $left $right]
  set queue [[$ns link $left $right] queue]
  $tracer target [$queue drop-target]
  $queue drop-target $tracer
}
if {$o(acks) ne "-"} {
  set trace(acks) [open $o(acks) w]
  set tracer [$ns create-trace Recv $trace(acks) $right $left]
  set link [$ns link $right $left]
  $tracer target [[$link link] target]
  [$link link] target $tracer
}

proc count {} {
  global o tcp monitor
  set found [list]
  for {set i 0} {$i < $o(flows)} {incr i} {
    set of($i) [list [$tcp($i) set ndatapack_] 0 0 [$tcp($i) set ack_]]
  }
  foreach flow [$monitor flows] {
    set i [$flow set flowid_]
    lset of($i) 1 [$flow set parrivals_]
    lset of($i) 2 [$flow set pdrops_]
  }
  for {set i 0} {$i < $o(flows)} {incr i} { lappend found $of($i) }
  lappend found [list [$monitor set parrivals_] [$monitor set pdepartures_] [$monitor set pdrops_]]
  return $found
}

set looks 0
for {set i 0} {$i < $o(flows)} {incr i} { set trip($i) 0.0; set timeout($i) 0.0 }
proc look {} {
  global o tcp ns tick looks trip timeout
  incr looks
  set least [expr {max([Agent/TCP set minrto_], 2 * $tick)}]
  for {set i 0} {$i < $o(flows)} {incr i} {
    set srtt [$tcp($i) set srtt_]
    set rto [expr {$srtt ? ($srtt / 8.0 + [$tcp($i) set rttvar_]) * $tick : [Agent/TCP set rtxcur_init_]}]
    set trip($i) [expr {$trip($i) + $srtt / 8.0 * $tick}]
    set timeout($i) [expr {$timeout($i) + min(max($rto, $least), [Agent/TCP set maxrto_])}]
  }
  set next [expr {[$ns now] + ($o(to) - $o(from)) / 40.0}]
  if {$next < $o(to)} { $ns at $next look }
}

proc sample {} {
  global o ns monitor
  puts "queue [format %.2f [$ns now]] [$monitor set pkts_]"
  $ns at [expr {[$ns now] + $o(every)}] sample
}

proc begin {} {
  global o monitor waited first area
  set first [count]
  $waited newpoint $o(from) [$monitor set pkts_]
  set area [$waited set sum_]
  look
}

proc finish {} {
  global o monitor waited first area looks trip timeout trace
  set last [count]
  $waited newpoint $o(to) [$monitor set pkts_]
  for {set i 0} {$i <= $o(flows)} {incr i} {
    set counts [list]
    foreach one [lindex $last $i] other [lindex $first $i] { lappend counts [expr {$one - $other}] }
    if {$i == $o(flows)} {
      puts "link $counts [expr {[$waited set sum_] - $area}]"
    } else {
      puts "flow $counts [format "%.4f %.4f" [expr {$trip($i) / $looks}] [expr {$timeout($i) / $looks}]]"
    }
  }
  foreach name [array names trace] { close $trace($name) }
  exit 0
}
$ns at 0.05 sample
$ns at $o(from) begin
$ns at $o(to) finish
$ns run
