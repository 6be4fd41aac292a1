# Reno and Vegas clients that share a gateway: `validation/vegas_map.py` puts what is chosen before this.
#   seed, window (packets), limit (packets), queue (DropTail or RED), rate and access (of the links), poisson (packets a second
#   of each client, 0 for endless data), count(Reno), count(Vegas), start (of Vegas, s), from and until (measured, s)
# Prints packets a second of one Reno and of one Vegas client, delivered in order, and the mean of the packets that wait.
set ns [new Simulator]
$ns use-scheduler Calendar
$defaultRNG seed $seed
Agent/TCP set window_ $window
Agent/TCP set maxcwnd_ 0
Agent/TCP set overhead_ 1.2e-5
Agent/TCP/Vegas set v_alpha_ 1
Agent/TCP/Vegas set v_beta_ 3
Agent/TCP/Vegas set v_gamma_ 1
Queue/RED set thresh_ [expr $limit / 5.0]
Queue/RED set maxthresh_ [expr 4 * $limit / 5.0]
Queue/RED set linterm_ 10
Queue/RED set q_weight_ 0.002
Queue/RED set gentle_ false
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set adaptive_ 0
Queue/RED set setbit_ false
set gw [$ns node]
set sv [$ns node]
$ns simplex-link $gw $sv $rate 25ms $queue
$ns simplex-link $sv $gw $rate 25ms DropTail
$ns queue-limit $gw $sv $limit
$ns queue-limit $sv $gw 100000
proc client {proto at} {
  global ns gw sv access poisson sinks
  set n [$ns node]
  $ns duplex-link $n $gw $access 25ms DropTail
  $ns queue-limit $n $gw 100000
  $ns queue-limit $gw $n 100000
  set a [new Agent/TCP/$proto]
  # Vegas has its own output(), which adds no header: 1500 bytes on the wire must be asked for.
  $a set packetSize_ [expr {$proto == "Vegas" ? 1500 : 1460}]
  set s [new Agent/TCPSink]
  $ns attach-agent $n $a
  $ns attach-agent $sv $s
  $ns connect $a $s
  if {$poisson > 0} {
    set e [new Application/Traffic/Exponential]
    $e set burst_time_ 0
    $e set idle_time_ [expr 1.0 / $poisson]
    $e set rate_ 10000000Mb
    $e set packetSize_ [$a set packetSize_]
  } else { set e [new Application/FTP] }
  $e attach-agent $a
  $ns at $at "$e start"
  lappend sinks($proto) $s
}
for {set i 0} {$i < $count(Reno)} {incr i} { client Reno 0.0 }
for {set i 0} {$i < $count(Vegas)} {incr i} { client Vegas $start }
set mon [$ns monitor-queue $gw $sv ""]
set waiting 0.0
set samples 0
proc sample {} {
  global ns mon waiting samples
  set waiting [expr $waiting + [$mon set pkts_]]
  incr samples
  $ns at [expr [$ns now] + 0.1] sample
}
proc delivered {proto} {
  global sinks
  set sum 0
  foreach s $sinks($proto) { set sum [expr $sum + [$s set bytes_] / 1500.0] }
  return $sum
}
proc begin {} {
  global first
  foreach proto {Reno Vegas} { set first($proto) [delivered $proto] }
  sample
}
proc finish {} {
  global first count from until waiting samples
  foreach proto {Reno Vegas} {
    puts [format %.4f [expr ([delivered $proto] - $first($proto)) / $count($proto) / ($until - $from)]]
  }
  puts [format %.3f [expr $waiting / $samples]]
  exit 0
}
$ns at $from begin
$ns at $until finish
$ns run
