"""S60 for ns-3: sixty Reno clients, each fed by a Poisson source, share a 50 Mb/s bottleneck with a 50-packet buffer.

``python s60.py [SECONDS [SEED]]``, in an environment with the package `ns3`, prints the number of packets that left the
bottleneck's queue at the end: ``departures N``. Python only builds the network; ns-3 runs the event loop.

The setup is as close to `validation/ns2/s60.tcl` as ns-3 allows: Reno's window with ns-3's classic recovery, no SACK,
no timestamps, a receiver's window of 20 segments and an ACK per segment, but no random processing time before a packet
is sent.
"""

import sys
from typing import Any

from ns import ns

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 200.0
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
ns.RngSeedManager.SetRun(seed)

PAYLOAD, WINDOW = 1460, 20
BURST = 1e-6  # seconds in which a source sends its single packet

DEFAULTS = {
    "TcpL4Protocol::SocketType": ns.TypeIdValue(ns.TypeId.LookupByName("ns3::TcpLinuxReno")),
    "TcpL4Protocol::RecoveryType": ns.TypeIdValue(ns.TypeId.LookupByName("ns3::TcpClassicRecovery")),
    "TcpSocket::SegmentSize": ns.UintegerValue(PAYLOAD),
    "TcpSocket::DelAckCount": ns.UintegerValue(1),
    "TcpSocket::RcvBufSize": ns.UintegerValue(WINDOW * PAYLOAD),
    "TcpSocket::SndBufSize": ns.UintegerValue(1 << 30),
    "TcpSocketBase::Sack": ns.BooleanValue(False),  # noqa: FBT003 - ns-3's way
    "TcpSocketBase::Timestamp": ns.BooleanValue(False),  # noqa: FBT003
    "TcpSocketBase::WindowScaling": ns.BooleanValue(False),  # noqa: FBT003
}
for name, value in DEFAULTS.items():
    ns.Config.SetDefault(f"ns3::{name}", value)


def link(one: Any, other: Any, rate: str, packets: int) -> tuple[Any, Any]:
    """Connect two nodes and assign addresses, without a queue discipline above the device's queue."""
    helper = ns.PointToPointHelper()
    helper.SetDeviceAttribute("DataRate", ns.StringValue(rate))
    helper.SetChannelAttribute("Delay", ns.StringValue("25ms"))
    helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns.StringValue(f"{packets}p"))
    devices = helper.Install(one, other)
    addresses.NewNetwork()
    return devices, addresses.Assign(devices)


nodes = ns.NodeContainer()
nodes.Create(62)
stack = ns.InternetStackHelper()
stack.Install(nodes)
addresses = ns.Ipv4AddressHelper()
addresses.SetBase(ns.Ipv4Address("10.0.0.0"), ns.Ipv4Mask("255.255.255.0"))
gateway, server = nodes.Get(0), nodes.Get(1)
control = ns.TrafficControlHelper()
shared, ends = link(gateway, server, "50Mbps", 50)
control.Uninstall(shared)
for client in range(60):
    devices, _ = link(nodes.Get(2 + client), gateway, "10Mbps", 100000)
    control.Uninstall(devices)
    there = ns.InetSocketAddress(ends.GetAddress(1), 5000 + client).ConvertTo()
    sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", there)
    sink.Install(ns.NodeContainer(server))
    source = ns.OnOffHelper("ns3::TcpSocketFactory", there)
    source.SetAttribute("PacketSize", ns.UintegerValue(PAYLOAD))
    source.SetAttribute("DataRate", ns.DataRateValue(ns.DataRate(int(PAYLOAD * 8 / BURST))))
    source.SetAttribute("OnTime", ns.StringValue(f"ns3::ConstantRandomVariable[Constant={BURST}]"))
    source.SetAttribute("OffTime", ns.StringValue("ns3::ExponentialRandomVariable[Mean=0.01]"))
    source.Install(ns.NodeContainer(nodes.Get(2 + client)))
ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()

ns.Simulator.Stop(ns.Seconds(seconds))
ns.Simulator.Run()
queue = shared.Get(0).GetObject[ns.PointToPointNetDevice]().GetQueue()
print(f"departures {queue.GetTotalReceivedPackets() - queue.GetNPackets()}")
