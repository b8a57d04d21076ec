package dev.nodepath.cni;

import dev.nodepath.cni.ipam.AllocationException;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.ipam.IpamConfig;
import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.cni.ipam.RangeSet;
import dev.nodepath.linux.Errno;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.Link;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Wires containers to a bridge: the order of work of one ADD and one DEL. The node's side is in {@link NodeBridge}, the
 * container's in {@link PodLink}. Safe for calls from several threads and processes at once.
 */
public final class BridgePlugin {
    private final LinuxNet net;
    private final HostLocalIpam ipam;
    private final LinkRemoval removal;
    private final RandomGenerator random;

    /**
     * A plugin that works in the network namespace of its process.
     *
     * @param removal how links go that a DEL takes away
     * @param random for MAC addresses, so it must differ between processes; used by several threads at once
     */
    public BridgePlugin(LinuxNet net, HostLocalIpam ipam, LinkRemoval removal, RandomGenerator random) {
        this.net = net;
        this.ipam = ipam;
        this.removal = removal;
        this.random = random;
    }

    /**
     * Gives a container its interface. A failed call leaves neither link nor address.
     *
     * <p>The bridge, its gateway addresses and forwarding stay even then: they belong to all containers of the node, and one
     * that came meanwhile may rely on them already.
     *
     */
    CniResult add(NetworkConfig config, Attachment attachment, Sandbox sandbox) throws CniException, IOException {
        try (NetworkNamespace host = net.current();
                NetworkNamespace pod = openPod(sandbox);
                Undo undo = new Undo()) {
            refuseExisting(pod, attachment);
            List<RangeSet.Candidate> addresses = allocate(config, attachment, undo);
            List<PodRoute> routes = routes(config, addresses);

            Link bridge = new NodeBridge(host, random).prepare(config, addresses);
            PodLink podLink = PodLink.create(host, pod, attachment.ifname(), config.mtu(), random, undo);
            podLink.plugInto(bridge, config.hairpinMode());
            podLink.configure(addresses, routes);
            podLink.awaitRunning();

            List<Link> links = List.of(bridge, podLink.hostEnd(), podLink.podEnd());
            CniResult result = result(config, links, sandbox.netns(), addresses, routes);
            undo.forget();
            return result;
        }
    }

    /**
     * Takes the interface away from a container and frees its addresses. What is missing already is fine: the interface, the
     * namespace, the addresses.
     */
    void del(NetworkConfig config, Attachment attachment, Sandbox sandbox) throws IOException {
        // First the link, then its addresses: an address that is given away while its old link lives is on two links.
        if (sandbox.isGiven()) {
            deleteLink(sandbox, attachment.ifname());
        }
        if (config.ipam().isPresent()) {
            ipam.release(config.ipam().get(), config.name(), attachment);
        }
    }

    private List<RangeSet.Candidate> allocate(NetworkConfig config, Attachment attachment, Undo undo)
            throws CniException, IOException {
        if (config.ipam().isEmpty()) {
            return List.of();
        }
        IpamConfig ipamConfig = config.ipam().get();
        try {
            List<RangeSet.Candidate> addresses = ipam.allocate(ipamConfig, config.name(), attachment);
            undo.add(() -> ipam.release(ipamConfig, config.name(), attachment));
            return addresses;
        } catch (AllocationException e) {
            throw new CniException(ErrorCode.INTERNAL, String.valueOf(e.getMessage()), e);
        }
    }

    /** The configuration's routes, and those to the gateway unless a default route with a gateway is among them. */
    private static List<PodRoute> routes(NetworkConfig config, List<RangeSet.Candidate> addresses) {
        if (config.ipam().isEmpty()) {
            return List.of();
        }
        List<PodRoute> routes = new ArrayList<>(config.ipam().get().routes());
        if (!config.isDefaultGateway()) {
            return routes;
        }
        Set<IpFamily> done = EnumSet.noneOf(IpFamily.class);
        for (PodRoute route : routes) {
            if (route.isDefault() && route.gateway().isPresent()) {
                done.add(route.destination().family());
            }
        }
        for (RangeSet.Candidate address : addresses) {
            if (done.add(address.address().family())) {
                routes.add(PodRoute.defaultVia(address.gateway()));
            }
        }
        return routes;
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

    private static void refuseExisting(NetworkNamespace pod, Attachment attachment)
            throws CniException, LinuxNetException {
        if (pod.link(attachment.ifname()).isPresent()) {
            throw PodLink.alreadyExists(attachment.ifname());
        }
    }

    private void deleteLink(Sandbox sandbox, String ifname) throws LinuxNetException {
        Optional<NetworkNamespace> opened = openIfThere(sandbox);
        if (opened.isEmpty()) {
            return;
        }
        try (NetworkNamespace pod = opened.get()) {
            Optional<Link> link = pod.link(ifname);
            // Only what an ADD makes is taken away; the loopback link and a node's own hardware are not ours.
            if (link.isPresent() && link.get().kind().equals("veth")) {
                removal.remove(pod, link.get().index());
            }
        }
    }

    /** EINVAL is the plain file that is left of a namespace which is no longer mounted. */
    private Optional<NetworkNamespace> openIfThere(Sandbox sandbox) throws LinuxNetException {
        try {
            return Optional.of(net.open(sandbox.file()));
        } catch (InvalidPathException e) {
            return Optional.empty();
        } catch (LinuxNetException e) {
            if (e.isMissing() || e.errno() == Errno.EINVAL || e.errno() == Errno.ENOTDIR) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static CniResult result(
            NetworkConfig config,
            List<Link> links,
            String netns,
            List<RangeSet.Candidate> addresses,
            List<PodRoute> routes) {
        List<CniResult.Interface> interfaces = new ArrayList<>();
        int podIndex = links.size() - 1;
        for (int i = 0; i < links.size(); i++) {
            Link link = links.get(i);
            String mac = link.mac().isPresent() ? link.mac().get().toString() : "";
            interfaces.add(new CniResult.Interface(link.name(), mac, link.mtu(), i == podIndex ? netns : ""));
        }
        List<CniResult.Ip> ips = new ArrayList<>();
        for (RangeSet.Candidate address : addresses) {
            ips.add(new CniResult.Ip(podIndex, address.address(), Optional.of(address.gateway())));
        }
        return new CniResult(interfaces, ips, routes, config.dns());
    }
}
