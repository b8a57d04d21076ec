package dev.nodepath.cni;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.NetworkConfig;
import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.CniResult;
import dev.nodepath.cni.protocol.CniVersion;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.cni.protocol.ResultParser;
import dev.nodepath.cni.protocol.RouteParser;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The command CHECK: compares the node's state with {@code prevResult} and the configuration. */
final class AttachmentCheck {
    private final NetworkNamespace host;
    private final NetworkNamespace pod;
    private final Call call;

    AttachmentCheck(NetworkNamespace host, NetworkNamespace pod, Call call) {
        this.host = host;
        this.pod = pod;
        this.call = call;
    }

    /** Runs all checks. It reports the first missing or different item. */
    void run() throws CniException, LinuxNetException {
        JsonObject previous = call.json()
                .object("prevResult")
                .orElseThrow(() -> new CniException(ErrorCode.INVALID_CONFIG, "Required prevResult missing"));
        CniResult result = ResultParser.parse(previous);
        Link bridge = checkBridge(result);
        checkRouters(bridge);
        Link podEnd = checkContainer(result);
        Link hostEnd = checkPort(bridge, podEnd);
        List<Cidr> ours = checkAddresses(result, podEnd);
        checkRoutes(result, podEnd, ours);
        checkSources(hostEnd, podEnd, ours);
        checkRules(ours);
    }

    private Link checkBridge(CniResult result) throws CniException, LinuxNetException {
        NetworkConfig.BridgeConfig config = call.config().bridge();
        Link bridge = host.link(config.name()).orElseThrow(() -> missing("bridge " + config.name()));
        if (!bridge.kind().equals("bridge")) {
            throw different("kind of " + config.name(), bridge.kind(), "bridge");
        }
        for (CniResult.Interface told : result.interfaces()) {
            if (told.name().equals(config.name()) && told.sandbox().isEmpty()) {
                checkMac(told, bridge);
            }
        }
        if (bridge.promiscuous() != config.promiscuous()) {
            throw different(
                    "promiscuous mode of " + config.name(),
                    String.valueOf(bridge.promiscuous()),
                    String.valueOf(config.promiscuous()));
        }
        if (config.netfilter() && !bridge.hasNetfilter()) {
            throw different("nf_call_iptables of " + config.name(), "0", "1, as bridgeNetfilter is true");
        }
        if (call.config().port().vlans().isUsed() && !bridge.vlanFiltering()) {
            throw different("vlan_filtering of " + config.name(), "0", "1, as vlan or vlanTrunk is given");
        }
        return bridge;
    }

    private Link checkContainer(CniResult result) throws CniException, LinuxNetException {
        String ifname = call.attachment().ifname();
        Link link = pod.link(ifname).orElseThrow(() -> missing("interface " + ifname + " of the container"));
        if (!link.kind().equals("veth")) {
            throw different("kind of " + ifname, link.kind(), "veth");
        }
        boolean told = false;
        for (CniResult.Interface has : result.interfaces()) {
            if (isOurs(has)) {
                if (!has.sandbox().equals(call.sandbox().netns())) {
                    throw different("CNI_NETNS", call.sandbox().netns(), has.sandbox());
                }
                checkMac(has, link);
                told = true;
            }
        }
        if (!told) {
            throw missing("interface " + ifname + " in prevResult");
        }
        return link;
    }

    private boolean isOurs(CniResult.Interface told) {
        return told.name().equals(call.attachment().ifname()) && !told.sandbox().isEmpty();
    }

    /** The node's end of the pair, a port of the bridge with the options that the configuration asks for. */
    private Link checkPort(Link bridge, Link podEnd) throws CniException, LinuxNetException {
        Link port = host.link(podEnd.peerIndex()).orElseThrow(() -> missing("the node's end of " + podEnd.name()));
        if (port.peerIndex() != podEnd.index() || !port.kind().equals("veth")) {
            throw missing("the node's end of " + podEnd.name());
        }
        if (port.masterIndex() != bridge.index()) {
            throw different("bridge of " + port.name(), "link " + port.masterIndex(), bridge.name());
        }
        NetworkConfig.PortConfig config = call.config().port();
        if (port.hairpin() != config.hairpin() || port.isolated() != config.isolated()) {
            throw different(
                    "hairpin mode and isolation of " + port.name(),
                    port.hairpin() + ", " + port.isolated(),
                    config.hairpin() + ", " + config.isolated());
        }
        if (config.vlans().isUsed()) {
            Optional<Integer> id =
                    PortVlans.of(host, port).missing(config.vlans().ofPort());
            if (id.isPresent()) {
                throw missing("vlan " + id.get() + " of " + port.name());
            }
        }
        return port;
    }

    /**
     * A container must not give addresses and routes to the node. So no link that receives its frames may accept router
     * advertisements.
     */
    private void checkRouters(Link bridge) throws CniException, LinuxNetException {
        NetworkConfig.VlanConfig vlans = call.config().port().vlans();
        Set<String> listening = new LinkedHashSet<>(List.of(bridge.name()));
        UpperLinks.heardFrom(host.links(), bridge, vlans).forEach(link -> listening.add(link.name()));
        int vlan = vlans.access();
        if (vlan != 0 && call.config().bridge().isGateway()) {
            listening.add(VlanGateway.name(bridge, vlan));
        }
        for (String link : listening) {
            Optional<String> accepts = NodeSettings.read(host, NodeSettings.acceptsRouters(link));
            if (accepts.isPresent() && !accepts.get().equals("0")) {
                throw different(NodeSettings.acceptsRouters(link), accepts.get(), "0");
            }
        }
    }

    /** The addresses of our interface. An address without an interface index may be on any interface. */
    private List<Cidr> checkAddresses(CniResult result, Link podEnd) throws CniException, LinuxNetException {
        List<InterfaceAddress> present = pod.addresses();
        List<Cidr> ours = new ArrayList<>();
        for (CniResult.Ip ip : result.ips()) {
            Optional<CniResult.Interface> told = ip.interfaceIndex()
                    .filter(index -> index < result.interfaces().size())
                    .map(index -> result.interfaces().get(index));
            Predicate<InterfaceAddress> isIt = has -> has.address().equals(ip.address());
            boolean onAny = present.stream().anyMatch(isIt);
            boolean onOurs = present.stream().anyMatch(isIt.and(has -> has.linkIndex() == podEnd.index()));
            boolean expected = told.isEmpty() || isOurs(told.get());
            if (expected && !(told.isEmpty() ? onAny : onOurs)) {
                throw missing("address " + ip.address() + " of " + podEnd.name());
            }
            if (expected && onOurs) {
                ours.add(ip.address());
            }
        }
        return ours;
    }

    /**
     * A route through a gateway in another interface's network belongs to another plugin. A route without a gateway may
     * be on any link.
     */
    private void checkRoutes(CniResult result, Link podEnd, List<Cidr> ours) throws CniException, LinuxNetException {
        List<Route> has = pod.routes();
        List<PodRoute> configured = configuredRoutes();
        for (PodRoute wanted : result.routes()) {
            Optional<IpAddress> gateway = wanted.gateway();
            boolean elsewhere = wanted.options().table().isPresent()
                    || configured.stream().anyMatch(route -> isInATable(route, wanted))
                    || (gateway.isPresent() && ours.stream().noneMatch(address -> address.contains(gateway.get())));
            boolean found = has.stream()
                    .anyMatch(route -> route.destination().equals(wanted.destination())
                            && (gateway.isEmpty()
                                    || (route.linkIndex() == podEnd.index()
                                            && route.gateway().equals(gateway))));
            if (!elsewhere && !found) {
                throw missing("route " + wanted.destination() + " of " + podEnd.name());
            }
        }
    }

    /** A result before version 1.1.0 does not tell the table of a route. The configuration does. */
    private List<PodRoute> configuredRoutes() throws CniException {
        Optional<JsonObject> ipam = call.config().version().isAtLeast(CniVersion.V1_1_0)
                ? Optional.empty()
                : call.json().object("ipam");
        return ipam.isPresent() ? RouteParser.parse(ipam.get()) : List.of();
    }

    private static boolean isInATable(PodRoute configured, PodRoute told) {
        return configured.options().table().isPresent()
                && configured.destination().equals(told.destination())
                && (configured.gateway().isEmpty() || configured.gateway().equals(told.gateway()));
    }

    /** Chains of an earlier version check the MAC of a container that it attached. */
    private void checkSources(Link hostEnd, Link podEnd, List<Cidr> ours) throws CniException, LinuxNetException {
        NetworkConfig.PortConfig config = call.config().port();
        if (!config.checksSources() || podEnd.mac().isEmpty()) {
            return;
        }
        Optional<List<IpAddress>> addresses = config.addressCheck()
                ? Optional.of(ours.stream().map(Cidr::address).toList())
                : Optional.empty();
        SourceCheck.Source source =
                new SourceCheck.Source(hostEnd.name(), podEnd.mac().get(), addresses);
        boolean checked = new SourceCheck(host, call.identity()).isFor(source)
                || (!config.addressCheck() && new SpoofChains(host, call.identity()).isPresent());
        if (!checked) {
            throw missing(
                    "rules of " + (config.addressCheck() ? "ipspoofchk" : "macspoofchk") + " for " + hostEnd.name());
        }
    }

    private void checkRules(List<Cidr> ours) throws CniException, LinuxNetException {
        NetworkConfig.MasqueradeConfig wanted = call.config().bridge().masquerade();
        Masquerade masquerade = new Masquerade(host, call.identity());
        for (Cidr address : ours) {
            if (wanted.isFor(address.family())
                    && !masquerade.covers(address, wanted)
                    && !isMasqueradedByUpstream(address)) {
                throw missing("rule of ipMasq for " + address);
            }
        }
    }

    /** Rules of upstream's plugin also masquerade a container that it attached earlier. A warning names them. */
    private boolean isMasqueradedByUpstream(Cidr address) throws LinuxNetException {
        boolean covers = new UpstreamMasquerade(host, call.config().name()).covers(call.attachment(), address.family());
        if (covers) {
            call.warnings()
                    .append("ipMasq of " + address
                            + ": rules of upstream's plugin masquerade it (expected: rules of this plugin; the"
                            + " container's DEL removes upstream's)\n");
        }
        return covers;
    }

    private static void checkMac(CniResult.Interface told, Link link) throws CniException {
        Optional<String> mac = link.mac().map(String::valueOf);
        if (!told.mac().isEmpty() && !mac.equals(Optional.of(told.mac()))) {
            throw different("MAC of " + link.name(), mac.orElse("none"), told.mac());
        }
    }

    private static CniException missing(String what) {
        return new CniException(ErrorCode.INTERNAL, what + ": missing");
    }

    private static CniException different(String what, String has, String expected) {
        return new CniException(ErrorCode.INTERNAL, what + ": " + has + " (expected: " + expected + ")");
    }
}
