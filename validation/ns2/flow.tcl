# One TCP flow in ns-2.35: n0 --10 Mb/s, 2 ms-- n1 --0.8 Mb/s, 20 ms-- n2, data from time 0, losses by a list at n1.
#
#   ns flow.tcl KEY VALUE ...     (keys and defaults: the array below)
#
# Prints the time and the number of every segment that n0 sends, and stops after `most` of them or `stop` seconds.
# `losses` are indices into all that n0 sends, counted from 0, as ns-2's error model counts. The application hands over a
# segment every `interval` seconds, or what `supply` says, a list of times and segments; without either there is always data.

array set with {agent TCP/Reno sink TCPSink window 20 limit 100 losses "" seed 1 most 100 stop 300 supply "" interval 0 set "" sinkset ""}
array set with $argv

remove-all-packet-headers
add-packet-header IP TCP Flags
$defaultRNG seed $with(seed)
Trace set callback_ 1
set ns [new Simulator]
set n0 [$ns node]
set n1 [$ns node]
set n2 [$ns node]
$ns duplex-link $n0 $n1 10Mb 2ms DropTail
$ns duplex-link $n1 $n2 0.8Mb 20ms DropTail
foreach {from to} [list $n0 $n1 $n1 $n0 $n2 $n1] { $ns queue-limit $from $to 10000 }
$ns queue-limit $n1 $n2 $with(limit)
if {[llength $with(losses)]} {
  set model [new ErrorModel/List]
  $model unit pkt
  $model droplist $with(losses)
  $ns lossmodel $model $n1 $n2
}

set tcp [new Agent/$with(agent)]
set sink [new Agent/$with(sink)]
$tcp set window_ $with(window)
$tcp set packetSize_ 1000
foreach {name value} $with(set) { $tcp set $name $value }
foreach {name value} $with(sinkset) { $sink set $name $value }
$ns attach-agent $n0 $tcp
$ns attach-agent $n2 $sink
$ns connect $tcp $sink

set sent 0
$ns trace-queue $n0 $n1 [open /dev/null w]
Trace instproc handle line {
  global ns sent with
  set words [expr {[llength $line] > 3 ? $line : [lindex $line 0]}]
  if {[lindex $words 0] eq "+"} {
    puts [format "%.12g %d" [$ns now] [lindex $words 10]]
    if {[incr sent] >= $with(most)} { flush stdout; exit 0 }
  }
}

proc hand_over {} {
  global ns tcp with
  $tcp advanceby 1
  $ns at [expr {[$ns now] + $with(interval)}] hand_over
}
if {$with(interval) > 0} {
  $ns at 0 hand_over
} elseif {[llength $with(supply)]} {
  foreach {time segments} $with(supply) { $ns at $time "$tcp advanceby $segments" }
} else {
  set ftp [new Application/FTP]
  $ftp attach-agent $tcp
  $ns at 0 "$ftp start"
}
$ns at $with(stop) "flush stdout; exit 0"
$ns run
