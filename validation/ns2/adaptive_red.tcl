# Adaptive RED in ns-2.35: Poisson packets of 1000 bytes at `load` times the rate of a 1 Mb/s link.
#
#   ns adaptive_red.tcl LOAD SEED
#
# Prints the means of the average queue and of max_p, sampled every 0.1 s from 50 s to 5050 s.

lassign $argv load seed
ns-random $seed
Queue/RED set thresh_ 5
Queue/RED set maxthresh_ 15
Queue/RED set linterm_ 10
Queue/RED set q_weight_ 0.002
Queue/RED set adaptive_ 1
Queue/RED set gentle_ true
Queue/RED set wait_ false
Queue/RED set mean_pktsize_ 1000
Queue/RED set queue_in_bytes_ false
Queue/RED set bytes_ false

set ns [new Simulator]
set n0 [$ns node]
set n1 [$ns node]
$ns simplex-link $n0 $n1 1Mb 1ms RED
$ns queue-limit $n0 $n1 100
set queue [[$ns link $n0 $n1] queue]

set udp [new Agent/UDP]
$udp set packetSize_ 1000
$ns attach-agent $n0 $udp
set null [new Agent/Null]
$ns attach-agent $n1 $null
$ns connect $udp $null
# single packets at exponential intervals
set source [new Application/Traffic/Exponential]
$source attach-agent $udp
$source set packetSize_ 1000
$source set burst_time_ 0
$source set rate_ 1000Gb
$source set idle_time_ [expr 0.008 / $load]

set sums {0 0}
set count 0
proc sample {} {
    global ns queue sums count
    lassign $sums average max_p
    set sums [list [expr $average + [$queue set ave_]] [expr $max_p + [$queue set cur_max_p_]]]
    incr count
    $ns at [expr [$ns now] + 0.1] sample
}
proc finish {} {
    global sums count
    lassign $sums average max_p
    puts [format "average %.4f max_p %.6f" [expr $average / $count] [expr $max_p / $count]]
    exit 0
}
$ns at 0 "$source start"
$ns at 50 sample
$ns at 5050 finish
$ns run
