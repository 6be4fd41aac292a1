# S60 for ns-2.35: sixty Reno clients, each fed by a Poisson source, share a 50 Mb/s bottleneck with a 50-packet buffer.
#   ns s60.tcl [SECONDS [SEED]]
# prints, at the end, what the bottleneck's queue counted:
#   arrivals N departures N drops N
#
# Everything that this file does not set stays as ns-2.35 ships it. It is written to let ns-2 run as fast as it can:
# the Calendar scheduler, only the headers that are used, no trace, and counting by the queue monitor alone.

set seconds [expr {$argc > 0 ? [lindex $argv 0] : 200.0}]
set seed [expr {$argc > 1 ? [lindex $argv 1] : 1}]

# Headers can only be taken out before there is a simulator.
remove-all-packet-headers
add-packet-header IP TCP Flags

set ns [new Simulator]
$ns use-scheduler Calendar
$defaultRNG seed $seed

Agent/TCP set window_ 20
Agent/TCP set packetSize_ 1460   ;# and 40 of headers: 1500 bytes on the wire
Agent/TCP set overhead_ 12e-6    ;# uniform from 0: keeps arrivals at one instant, so who wins a tie, out of the result

# The buffer that is studied lies at the gateway; every other queue is too long to drop anything.
proc link {ns from to rate packets} {
  $ns simplex-link $from $to $rate 25ms DropTail
  $ns queue-limit $from $to $packets
}

set gateway [$ns node]
set server [$ns node]
link $ns $gateway $server 50Mb 50
link $ns $server $gateway 50Mb 100000

for {set i 0} {$i < 60} {incr i} {
  set client [$ns node]
  link $ns $client $gateway 10Mb 100000
  link $ns $gateway $client 10Mb 100000

  set sender [new Agent/TCP/Reno]
  set receiver [new Agent/TCPSink]
  $ns attach-agent $client $sender
  $ns attach-agent $server $receiver
  $ns connect $sender $receiver

  # A burst of no length holds one packet, sent at once at this rate: what is left is a Poisson process, 100 packets/s.
  set source [new Application/Traffic/Exponential]
  $source set packetSize_ 1460
  $source set burst_time_ 0
  $source set idle_time_ 10ms
  $source set rate_ 10000000Mb
  $source attach-agent $sender
  $ns at 0.0 "$source start"
}

set monitor [$ns monitor-queue $gateway $server ""]

proc finish {} {
  global monitor
  puts "arrivals [$monitor set parrivals_] departures [$monitor set pdepartures_] drops [$monitor set pdrops_]"
  exit 0
}
$ns at $seconds finish
$ns run
