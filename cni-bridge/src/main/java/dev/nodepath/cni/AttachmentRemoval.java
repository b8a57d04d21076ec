package dev.nodepath.cni;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.CniResult;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.cni.protocol.ResultParser;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.Optional;
import java.util.Set;

/** The command DEL: removes a container's interface, rules and addresses. A part that is missing is no error. */
final class AttachmentRemoval {
    private final LinuxNet net;
    private final NetworkNamespace host;
    private final HostLocalIpam hostLocal;
    private final LinkRemoval removal;
    private final AddressGate gate;
    private final Call call;

    AttachmentRemoval(
            LinuxNet net,
            NetworkNamespace host,
            HostLocalIpam hostLocal,
            LinkRemoval removal,
            AddressGate gate,
            Call call) {
        this.net = net;
        this.host = host;
        this.hostLocal = hostLocal;
        this.removal = removal;
        this.gate = gate;
        this.call = call;
    }

    /** Frees the resources of the attachment, wherever the path of its namespace leads by now. */
    void run() throws CniException, IOException {
        AddressRelease addresses = AddressRelease.of(hostLocal, call);
        try {
            if (addresses.needsLink()) {
                withdrawAddresses();
                addresses.del();
            }
        } finally {
            removeLink();
        }
        gate.release(
                call.config().name(), () -> HeldAddresses.of(hostLocal, call).addresses());
        // Only now: otherwise another container could get the address while the old link still has it.
        if (!addresses.needsLink()) {
            addresses.del();
        }
        EmptyBridge.prune(host, hostLocal, call);
    }

    private void withdrawAddresses() throws LinuxNetException {
        Optional<NetworkNamespace> opened = openPod();
        if (opened.isPresent()) {
            try (NetworkNamespace pod = opened.get()) {
                PodLink.withdrawAddresses(host, pod, call.identity());
            }
        }
    }

    private void removeLink() throws IOException {
        Optional<Link> hostEnd = call.identity().find(host);
        if (hostEnd.isPresent()) {
            removal.remove(host, hostEnd.get().index());
        } else {
            removeFromPod();
            removeUpstreams();
        }
        new SourceCheck(host, call.identity()).remove();
        new SpoofChains(host, call.identity()).remove();
        new Masquerade(host, call.identity()).remove();
        new HostPorts(host, call.identity()).remove();
        NodeBridge.refuseRouters(host, call);
    }

    /** Removes the link if the node's end has an unknown name, as after another program's ADD. */
    private void removeFromPod() throws IOException {
        Optional<NetworkNamespace> opened = openPod();
        if (opened.isEmpty()) {
            return;
        }
        try (NetworkNamespace pod = opened.get()) {
            Optional<Link> podEnd = pod.link(call.attachment().ifname());
            // Removes only links that an ADD makes, never loopback or hardware.
            if (podEnd.isEmpty() || !podEnd.get().kind().equals("veth")) {
                return;
            }
            Optional<Link> hostEnd = host.link(podEnd.get().peerIndex())
                    .filter(link -> link.kind().equals("veth")
                            && link.peerIndex() == podEnd.get().index());
            boolean named = hostEnd.filter(call.identity()::isAliasOf).isPresent();
            boolean namesAnother = !named
                    && hostEnd.filter(link -> LinkIdentity.isAlias(link.alias()))
                            .isPresent();
            if (namesAnother) {
                return; // an ADD was refused because of it, or the path leads to another container
            }
            if (!named && !isOfAttachment(pod, podEnd.get())) {
                call.warnings()
                        .append(podEnd.get().name()
                                + " in CNI_NETNS not removed: neither prevResult nor an address tells"
                                + " that it is of container "
                                + call.attachment().containerId() + "\n");
            } else if (hostEnd.isPresent()) {
                removal.remove(host, hostEnd.get().index());
            } else {
                LinkRemoval.immediate().remove(pod, podEnd.get().index());
            }
        }
    }

    /** Whether an ADD of another program made the link for this attachment. The path may lead to another container. */
    private boolean isOfAttachment(NetworkNamespace pod, Link podEnd) throws IOException {
        Optional<String> told = toldMac();
        if (told.isPresent()) {
            return podEnd.mac()
                    .filter(mac -> mac.toString().equalsIgnoreCase(told.get()))
                    .isPresent();
        }
        Set<IpAddress> held = HeldAddresses.of(hostLocal, call).addresses();
        for (InterfaceAddress has : pod.addresses(podEnd.index())) {
            if (held.contains(has.address().address())) {
                return true;
            }
        }
        return false;
    }

    /** The MAC of the container's end in the result of the ADD; empty if the call has no such result. */
    private Optional<String> toldMac() {
        try {
            Optional<JsonObject> previous = call.json().object("prevResult");
            if (previous.isPresent()) {
                for (CniResult.Interface told :
                        ResultParser.parse(previous.get()).interfaces()) {
                    if (told.name().equals(call.attachment().ifname())
                            && !told.sandbox().isEmpty()
                            && !told.mac().isEmpty()) {
                        return Optional.of(told.mac());
                    }
                }
            }
        } catch (CniException e) {
            return Optional.empty(); // as if there were none
        }
        return Optional.empty();
    }

    /** A failure here does not fail the DEL: without the container these rules match nothing. */
    private void removeUpstreams() {
        try {
            new UpstreamMasquerade(host, call.config().name())
                    .remove(call.attachment(), HeldAddresses.of(hostLocal, call)::ofOtherInterfaces);
        } catch (IOException e) {
            call.warnings()
                    .append("rules of upstream's ipMasq not removed: ")
                    .append(Invocation.explain(e).text())
                    .append('\n');
        }
    }

    /**
     * The namespace that the path leads to; empty if it leads to none.
     *
     * @throws LinuxNetException if memory or descriptors are short, so that there may be one
     */
    private Optional<NetworkNamespace> openPod() throws LinuxNetException {
        if (!call.sandbox().isGiven()) {
            return Optional.empty();
        }
        try {
            return Optional.of(net.open(call.sandbox().file()));
        } catch (InvalidPathException e) {
            return Optional.empty();
        } catch (LinuxNetException e) {
            if (Set.of(Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM).contains(e.errno())) {
                throw e;
            }
            return Optional.empty();
        }
    }
}
