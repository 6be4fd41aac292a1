# Many greedy Reno flows share one bottleneck in ns-2.35: 1 Mb/s and one packet of buffer for each flow.
#   ns greedy.tcl FLOWS SPREAD [SECONDS [SEED]]
# Each flow starts at random in the first SPREAD seconds. Prints, as the run begins, the milliseconds of CPU time that the network took to
# build, and at the end what the bottleneck's queue counted:
#   start N
#   arrivals N departures N drops N
#
# Everything that this file does not set stays as ns-2.35 ships it. It is written to let ns-2 run as fast as it can:
# the Calendar scheduler, only the headers that are used, no trace, and counting by the queue monitor alone.

set flows [lindex $argv 0]
set spread [lindex $argv 1]
set seconds [expr {$argc > 2 ? [lindex $argv 2] : 20.0}]
set seed [expr {$argc > 3 ? [lindex $argv 3] : 1}]

# Headers can only be taken out before there is a simulator.
remove-all-packet-headers
add-packet-header IP TCP Flags

set ns [new Simulator]
$ns use-scheduler Calendar
$ns rtproto Manual   ;# all pairs of nodes would take minutes
$defaultRNG seed $seed
set starts [new RNG]
$starts seed [expr {1000 + $seed}]

Agent/TCP set window_ 64
Agent/TCP set packetSize_ 1460   ;# and 40 of headers: 1500 bytes on the wire
Agent/TCP set overhead_ 12e-6    ;# uniform from 0: keeps arrivals at one instant, so who wins a tie, out of the result

# The buffer that is studied lies at the gateway; every other queue is too long to drop anything.
proc link {ns from to mbps packets} {
  $ns simplex-link $from $to ${mbps}Mb 25ms DropTail
  $ns queue-limit $from $to $packets
}

set gateway [$ns node]
set server [$ns node]
link $ns $gateway $server $flows $flows
link $ns $server $gateway $flows 1000000
[$gateway get-module Manual] add-route-to-adj-node $server
[$server get-module Manual] add-route-to-adj-node -default $gateway

for {set i 0} {$i < $flows} {incr i} {
  set client [$ns node]
  link $ns $client $gateway 10 1000000
  link $ns $gateway $client 10 1000000
  [$gateway get-module Manual] add-route-to-adj-node $client
  [$client get-module Manual] add-route-to-adj-node -default $gateway

  set sender [new Agent/TCP/Reno]
  set receiver [new Agent/TCPSink]
  $ns attach-agent $client $sender
  $ns attach-agent $server $receiver
  $ns connect $sender $receiver

  set source [new Application/FTP]
  $source attach-agent $sender
  $ns at [$starts uniform 0 $spread] "$source start"
}

set monitor [$ns monitor-queue $gateway $server ""]

# The CPU time for building the network in milliseconds, printed as the run begins.
proc tell_start {} {
  set file [open /proc/self/stat]
  set fields [split [read $file]]
  close $file
  puts "start [expr {10 * ([lindex $fields 13] + [lindex $fields 14])}]"
}
$ns at 0.0 tell_start

proc finish {} {
  global monitor
  puts "arrivals [$monitor set parrivals_] departures [$monitor set pdepartures_] drops [$monitor set pdrops_]"
  exit 0
}
$ns at $seconds finish
$ns run
