# The paper's dumbbell for ns-2.35, watching three congestion windows and every loss: the runs behind Figures 5 to 12.
#   ns windows.tcl VARIANT CLIENTS SEED FILE
# VARIANT is Reno or Vegas, CLIENTS at least 20. Runs 200 s and prints, every 0.1 s from 0.1 s on, a line
#   w TIME CWND CWND CWND
# for clients 1, 10 and 20 (counted from 1), at the end
#   arrivals N drops N
# and writes a line of ns-2's own format to FILE for each packet that the gateway drops: the second word is the time.
#
# As in validation/ns2/s60.tcl, what is not set here stays as ns-2.35 ships it. Vegas sends no SYN and does not add
# headers to a packet: its size is set to all of the 1500 bytes.

lassign $argv variant clients seed file
set packet [expr {$variant eq "Vegas" ? 1500 : 1460}]

remove-all-packet-headers
add-packet-header IP TCP Flags

set ns [new Simulator]
$ns use-scheduler Calendar
$defaultRNG seed $seed

Agent/TCP set window_ 20
Agent/TCP set packetSize_ $packet
Agent/TCP set overhead_ 12e-6
Agent/TCP/Vegas set v_alpha_ 1
Agent/TCP/Vegas set v_beta_ 3
Agent/TCP/Vegas set v_gamma_ 1

proc link {from to rate packets} {
  global ns
  $ns simplex-link $from $to $rate 25ms DropTail
  $ns queue-limit $from $to $packets
}

set gateway [$ns node]
set server [$ns node]
link $gateway $server 50Mb 50
link $server $gateway 50Mb 100000

for {set i 1} {$i <= $clients} {incr i} {
  set client [$ns node]
  link $client $gateway 10Mb 100000
  link $gateway $client 10Mb 100000

  set sender($i) [new Agent/TCP/$variant]
  set receiver [new Agent/TCPSink]
  $ns attach-agent $client $sender($i)
  $ns attach-agent $server $receiver
  $ns connect $sender($i) $receiver

  # Bursts of one packet and no length: a Poisson process of 100 packets/s.
  set source [new Application/Traffic/Exponential]
  $source set packetSize_ $packet
  $source set burst_time_ 0
  $source set idle_time_ 10ms
  $source set rate_ 10000000Mb
  $source attach-agent $sender($i)
  $ns at 0.0 "$source start"
}

set monitor [$ns monitor-queue $gateway $server ""]

# A tracer of drops alone, put where the queue hands over what it refuses: tracing the whole link would be slow.
set losses [open $file w]
set tracer [$ns create-trace Drop $losses $gateway $server]
set head [[$ns link $gateway $server] set drophead_]
$tracer target [$head target]
$head target $tracer

proc sample {unit} {
  global ns sender monitor losses
  puts [format "w %.1f %.6f %.6f %.6f" [expr {0.1 * $unit}] \
    [$sender(1) set cwnd_] [$sender(10) set cwnd_] [$sender(20) set cwnd_]]
  if {$unit < 2000} {
    $ns at [expr {0.1 * ($unit + 1)}] "sample [expr {$unit + 1}]"
  } else {
    puts "arrivals [$monitor set parrivals_] drops [$monitor set pdrops_]"
    close $losses
    exit 0
  }
}
$ns at 0.1 "sample 1"
$ns run
