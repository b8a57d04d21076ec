package dev.nodepath.cni;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.IpamConfigParser;
import dev.nodepath.cni.config.NetworkConfig;
import dev.nodepath.cni.config.PortMapping;
import dev.nodepath.cni.config.RequestedMac;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.ipam.IpamConfig;
import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.CniResult;
import dev.nodepath.cni.protocol.Dns;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.cni.protocol.ResultParser;
import dev.nodepath.cni.protocol.Sandbox;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Attaches containers to a bridge. This class orders the steps of each command. The node's side is in {@link
 * NodeBridge} and {@link Gateway}, the link in {@link PodLink}, the container's side in {@link PodInterface}. Calls may
 * run at once in several threads and processes, except calls of the same attachment.
 */
public final class BridgePlugin {
    private final LinuxNet net;
    private final HostLocalIpam hostLocal;
    private final LinkRemoval removal;
    private final RandomGenerator random;
    private final AddressGate gate;

    /**
     * A plugin that works in the network namespace of its process.
     *
     * @param removal deletes the links of a DEL
     * @param random for MAC addresses. It must differ between processes. Several threads use it at once.
     * @param gate is told of a container's addresses, and asked before it gets them
     */
    public BridgePlugin(
            LinuxNet net, HostLocalIpam ipam, LinkRemoval removal, RandomGenerator random, AddressGate gate) {
        this.net = net;
        this.hostLocal = ipam;
        this.removal = removal;
        this.random = random;
        this.gate = gate;
    }

    /**
     * Gives a container its interface. A failed call leaves no link, address or rule. A repeated call has the same
     * result and repairs missing parts.
     *
     * <p>After a failure the bridge, its gateway addresses and forwarding stay: all containers of the node share them,
     * and another ADD may use them already.
     */
    CniResult add(Call call) throws CniException, IOException {
        NetworkConfig config = call.config();
        Optional<Ipam> ipam = ipam(call);
        Optional<MacAddress> mac =
                RequestedMac.of(call.json(), call.environment().args());
        List<PortMapping> hostPorts = PortMapping.of(call.json());
        try (NetworkNamespace host = net.current();
                NetworkNamespace pod = openPod(call.sandbox());
                Undo undo = new Undo()) {
            List<Link> links = host.links();
            Optional<Link> hostEnd = call.identity().find(links);
            Optional<PodLink> found = PodLink.find(host, pod, call.identity(), hostEnd);
            boolean linkFirst = ipam.isPresent() && ipam.get().needsLink();
            Ipam.Result addresses = linkFirst ? Ipam.Result.NONE : allocate(config, ipam, found.isPresent(), undo);
            AddressGate.Passage passage = announce(call, addresses, undo);
            NodeBridge nodeBridge = new NodeBridge(host, random);
            Optional<Integer> mtu = nodeBridge.mtu(config);
            NodeBridge.checkCarries(config, mtu, addresses);
            Link bridge = nodeBridge.prepare(config, mtu, links);
            SourceCheck sources = new SourceCheck(host, call.identity());
            try {
                if (found.isEmpty()) {
                    undo.add(sources::remove); // comes after the removal of the link
                }
                PodLink link = found.isPresent()
                        ? found.get()
                        : PodLink.create(host, pod, call.identity(), hostEnd, mac, mtu, undo);
                sources.ensure(source(config.port(), link, addresses)); // before the bridge takes its frames
                if (config.port().checksSources()) {
                    new SpoofChains(host, call.identity()).remove();
                }
                link.plugInto(bridge, config.port());
                PodInterface podInterface = new PodInterface(pod, link.podEnd());
                if (linkFirst) {
                    podInterface.setUp(config.port());
                    link.awaitRunning();
                    releaseEarlier(call, podInterface);
                    addresses = allocate(config, ipam, found.isPresent(), undo);
                    passage = announce(call, addresses, undo);
                    NodeBridge.checkCarries(config, mtu, addresses);
                    undo.add(podInterface::withdraw); // comes before the addresses are given back
                }
                Link carrier = prepareGateway(host, config, bridge, link, addresses);
                masquerade(host, call, addresses, undo);
                if (!config.port().containerDown()) {
                    podInterface.prepare(config.port(), addresses);
                    passage.await();
                    podInterface.configure(config.port(), addresses, link.made());
                }
                if (!hostPorts.isEmpty()) {
                    leadHostPorts(host, call, addresses, hostPorts, carrier, undo);
                }
                if (!config.port().containerDown()) {
                    link.awaitRunning();
                }
                if (!addresses.addresses().isEmpty()) {
                    podInterface.announce();
                }
                CniResult result = result(call, links(host, bridge, link, carrier), addresses);
                undo.forget();
                return result;
            } catch (LinuxNetException e) {
                NodeBridge.requirePresent(host, bridge, e);
                throw e;
            }
        }
    }

    /**
     * Removes a container's interface and frees its addresses. A missing interface, namespace or address is no error.
     */
    void del(Call call) throws CniException, IOException {
        try (NetworkNamespace host = net.current()) {
            new AttachmentRemoval(net, host, hostLocal, removal, gate, call).run();
        }
    }

    /** Checks that the result of an ADD is still in place. */
    void check(Call call) throws CniException, IOException {
        Optional<Ipam> ipam = ipam(call);
        if (ipam.isPresent()) {
            ipam.get().check();
        }
        try (NetworkNamespace host = net.current();
                NetworkNamespace pod = openPod(call.sandbox())) {
            new AttachmentCheck(host, pod, call).run();
        }
    }

    /** Removes the resources of the network's attachments that are not in the call's list. */
    void gc(Call call) throws CniException, IOException {
        try (NetworkNamespace host = net.current()) {
            new GarbageCollection(host, hostLocal, gate, call).run();
        }
    }

    /** Checks that an ADD could succeed, as far as possible without one. */
    void status(Call call) throws CniException, IOException {
        Optional<Ipam> ipam = ipam(call);
        if (ipam.isPresent()) {
            ipam.get().status();
        }
        try (NetworkNamespace host = net.current()) {
            Optional<Link> bridge = host.link(call.config().bridge().name());
            if (bridge.isPresent() && !bridge.get().kind().equals("bridge")) {
                throw new CniException(
                        ErrorCode.UNAVAILABLE,
                        "bridge: \"" + bridge.get().name() + "\" already exists but is not a bridge");
            }
            if (call.config().bridge().netfilter()) {
                checkNetfilter(host);
            }
        } catch (LinuxNetException e) {
            throw new CniException(ErrorCode.UNAVAILABLE, String.valueOf(e.getMessage()), e);
        }
    }

    private static void checkNetfilter(NetworkNamespace host) throws CniException, LinuxNetException {
        try {
            host.sysctl("net/bridge/bridge-nf-call-iptables");
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
            throw new CniException(
                    ErrorCode.UNAVAILABLE,
                    "the kernel's module br_netfilter is not loaded, so Services do not reach containers of the client's own"
                            + " bridge (expected: \"modprobe br_netfilter\" on the node)",
                    e);
        }
    }

    private Optional<Ipam> ipam(Call call) throws CniException {
        Optional<String> type = call.config().ipamType();
        if (type.isEmpty()) {
            return Optional.empty();
        }
        if (!type.get().equals(IpamConfigParser.TYPE)) {
            DelegatedIpam delegated = new DelegatedIpam(type.get(), call);
            delegated.requirePlugin();
            return Optional.of(delegated);
        }
        NetworkConfig config = call.config();
        IpamConfig ipamConfig = IpamConfigParser.parse(
                call.json(), config.version(), call.environment().args(), call.dataDirDefault());
        return Optional.of(new HostLocal(
                hostLocal, ipamConfig, config.name(), call.attachment(), IpamConfigParser.resolvConf(call.json())));
    }

    /** Frees the addresses of an earlier ADD, by this or another plugin, so that a failing ADD leaks none. */
    private void releaseEarlier(Call call, PodInterface podInterface) throws IOException {
        podInterface.withdraw();
        HeldAddresses.of(hostLocal, call).del();
    }

    private static Ipam.Result allocate(NetworkConfig config, Optional<Ipam> ipam, boolean again, Undo undo)
            throws CniException, IOException {
        if (ipam.isEmpty()) {
            return Ipam.Result.NONE;
        }
        Ipam.Result result = ipam.get().add(again);
        if (result.fresh()) {
            undo.add(() -> {
                try {
                    ipam.get().del();
                } catch (CniException e) {
                    throw new IOException(e.text(), e);
                }
            });
        }
        return completed(config, result);
    }

    private AddressGate.Passage announce(Call call, Ipam.Result addresses, Undo undo) {
        NetworkConfig config = call.config();
        AddressGate.Passage passage =
                gate.announce(config.name(), call.environment().args(), config.policyMark(), given(addresses));
        if (addresses.fresh()) {
            undo.add(passage::withdraw);
        }
        return passage;
    }

    /** Adds default gateways, the first address of each network, and the configured default routes. */
    private static Ipam.Result completed(NetworkConfig config, Ipam.Result result) {
        List<Ipam.Address> addresses = new ArrayList<>();
        List<PodRoute> routes = new ArrayList<>(result.routes());
        Set<IpFamily> done = EnumSet.noneOf(IpFamily.class);
        for (PodRoute route : routes) {
            if (route.isDefault() && route.gateway().isPresent()) {
                done.add(route.destination().family());
            }
        }
        for (Ipam.Address address : result.addresses()) {
            Ipam.Address complete = address;
            if (config.bridge().isGateway() && address.gateway().isEmpty()) {
                Cidr network = address.address().network();
                complete = new Ipam.Address(
                        address.address(), Optional.of(network.address().plus(1)));
            }
            addresses.add(complete);
            if (config.bridge().isDefaultGateway() && done.add(address.address().family())) {
                complete.gateway().ifPresent(gateway -> routes.add(PodRoute.defaultVia(gateway)));
            }
        }
        return new Ipam.Result(addresses, routes, result.dns(), result.fresh());
    }

    private static void masquerade(NetworkNamespace host, Call call, Ipam.Result addresses, Undo undo)
            throws LinuxNetException {
        List<Cidr> given = new ArrayList<>();
        addresses.addresses().forEach(address -> given.add(address.address()));
        Masquerade masquerade = new Masquerade(host, call.identity());
        if (addresses.fresh()) {
            undo.add(masquerade::remove);
        }
        masquerade.ensure(given, call.config().bridge().masquerade());
    }

    private static void leadHostPorts(
            NetworkNamespace host,
            Call call,
            Ipam.Result addresses,
            List<PortMapping> mappings,
            Link carrier,
            Undo undo)
            throws LinuxNetException {
        HostPorts ports = new HostPorts(host, call.identity());
        if (addresses.fresh()) {
            undo.add(ports::remove);
        }
        ports.ensure(given(addresses), mappings, carrier.name());
    }

    private static List<IpAddress> given(Ipam.Result addresses) {
        return addresses.addresses().stream()
                .map(each -> each.address().address())
                .toList();
    }

    /** The allowed sources of the container; empty for any source. */
    private static Optional<SourceCheck.Source> source(
            NetworkConfig.PortConfig config, PodLink link, Ipam.Result addresses) {
        Optional<List<IpAddress>> own = config.addressCheck() ? Optional.of(given(addresses)) : Optional.empty();
        return link.podEnd()
                .mac()
                .filter(mac -> config.checksSources())
                .map(mac -> new SourceCheck.Source(link.hostEnd().name(), mac, own));
    }

    /** Returns the link with the gateway addresses: the bridge, or its end in the container's VLAN. */
    private static Link prepareGateway(
            NetworkNamespace host, NetworkConfig config, Link bridge, PodLink link, Ipam.Result addresses)
            throws CniException, LinuxNetException {
        if (!config.bridge().isGateway() || addresses.addresses().isEmpty()) {
            return bridge;
        }
        NetworkConfig.VlanConfig vlans = config.port().vlans();
        Link carrier = vlans.access() == 0 ? bridge : new VlanGateway(host).prepare(bridge, vlans);
        Set<Cidr> gateways = new LinkedHashSet<>();
        Set<IpFamily> families = EnumSet.noneOf(IpFamily.class);
        for (Ipam.Address address : addresses.addresses()) {
            if (address.gateway().isPresent()) {
                gateways.add(new Cidr(address.gateway().get(), address.address().prefixLength()));
                families.add(address.address().family());
            }
        }
        new Gateway(host, bridge, carrier, link.hostEnd().index())
                .ensure(gateways, config.bridge().forceAddress());
        for (IpFamily family : families) {
            NodeSettings.enableForwarding(host, family);
        }
        return carrier;
    }

    private NetworkNamespace openPod(Sandbox sandbox) throws CniException {
        try {
            return net.open(sandbox.file());
        } catch (LinuxNetException | InvalidPathException e) {
            throw new CniException(
                    ErrorCode.INVALID_NAMESPACE,
                    "failed to open netns \"" + sandbox.netns() + "\": " + e.getMessage(),
                    e);
        }
    }

    /**
     * The links of a result, in upstream's order: bridge, node's end, container's end, and the gateway's link if it is
     * another.
     */
    private static List<Link> links(NetworkNamespace host, Link bridge, PodLink link, Link carrier)
            throws CniException, LinuxNetException {
        List<Link> links = new ArrayList<>();
        links.add(host.link(bridge.index()).orElseThrow(() -> NodeBridge.removedMeanwhile(bridge)));
        links.add(link.hostEnd());
        links.add(link.podEnd());
        if (carrier.index() != bridge.index()) {
            links.add(carrier);
        }
        return links;
    }

    private static CniResult result(Call call, List<Link> links, Ipam.Result addresses) throws CniException {
        int podIndex = 2;
        List<CniResult.Interface> interfaces = new ArrayList<>();
        for (int i = 0; i < links.size(); i++) {
            Link link = links.get(i);
            String mac = link.mac().isPresent() ? link.mac().get().toString() : "";
            String sandbox = i == podIndex ? call.sandbox().netns() : "";
            interfaces.add(new CniResult.Interface(link.name(), mac, link.mtu(), sandbox));
        }
        List<CniResult.Ip> ips = new ArrayList<>();
        for (Ipam.Address address : addresses.addresses()) {
            ips.add(new CniResult.Ip(Optional.of(podIndex), address.address(), address.gateway()));
        }
        Dns dns = call.config().dns().orElse(addresses.dns());
        CniResult result = new CniResult(interfaces, ips, addresses.routes(), dns);
        Optional<JsonObject> previous = call.json().object("prevResult");
        return previous.isPresent() ? result.after(ResultParser.parse(previous.get())) : result;
    }
}
