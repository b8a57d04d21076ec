package dev.nodepath.cni;

import dev.nodepath.cni.addresses.AddressRelease;
import dev.nodepath.cni.bridge.EmptyBridge;
import dev.nodepath.cni.bridge.LinkRemoval;
import dev.nodepath.cni.bridge.NodeBridge;
import dev.nodepath.cni.bridge.PodLink;
import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.rules.Masquerade;
import dev.nodepath.cni.rules.SpoofCheck;
import dev.nodepath.cni.rules.UpstreamMasquerade;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/** The command DEL: removes a container's interface, rules and addresses. A part that is missing is no error. */
final class AttachmentRemoval {
    /** A query on the file of the container's namespace. */
    private interface NamespaceQuestion<T> {
        T ask(Path file) throws LinuxNetException;
    }

    private final LinuxNet net;
    private final NetworkNamespace host;
    private final HostLocalIpam hostLocal;
    private final LinkRemoval removal;
    private final Call call;

    AttachmentRemoval(LinuxNet net, NetworkNamespace host, HostLocalIpam hostLocal, LinkRemoval removal, Call call) {
        this.net = net;
        this.host = host;
        this.hostLocal = hostLocal;
        this.removal = removal;
        this.call = call;
    }

    void run() throws CniException, IOException {
        if (isElsewhere()) {
            call.warnings()
                    .append("link and addresses not removed: they belong to container ")
                    .append(call.attachment().containerId())
                    .append(" in another namespace than CNI_NETNS\n");
            return;
        }
        AddressRelease addresses = AddressRelease.of(hostLocal, call);
        try {
            if (addresses.needsLink()) {
                withdrawAddresses();
                addresses.del();
            }
        } finally {
            removeLink();
        }
        // Only now: otherwise another container could get the address while the old link still has it.
        if (!addresses.needsLink()) {
            addresses.del();
        }
        EmptyBridge.prune(host, hostLocal, call);
    }

    /**
     * Whether the attachment's link is in another namespace than the given one. Then a second ADD was refused because
     * of that link, and this is the DEL after it. A renamed end still counts as the container's.
     */
    private boolean isElsewhere() throws LinuxNetException {
        Optional<Link> hostEnd =
                call.identity().find(host).filter(link -> !link.alias().isEmpty());
        if (hostEnd.isEmpty() || !call.sandbox().isGiven()) {
            return false;
        }
        return ifThere(file -> host.isPeerElsewhere(hostEnd.get().index(), file))
                .orElse(false);
    }

    private void withdrawAddresses() throws LinuxNetException {
        Optional<NetworkNamespace> opened = ifThere(net::open);
        if (opened.isPresent()) {
            try (NetworkNamespace pod = opened.get()) {
                PodLink.withdrawAddresses(host, pod, call.identity());
            }
        }
    }

    private void removeLink() throws LinuxNetException {
        Optional<Link> hostEnd = call.identity().find(host);
        if (hostEnd.isPresent()) {
            removal.remove(host, hostEnd.get().index());
        } else {
            if (call.sandbox().isGiven()) {
                removeFromPod();
            }
            removeUpstreams();
        }
        new SpoofCheck(host, call.identity()).remove();
        new Masquerade(host, call.identity()).remove();
        NodeBridge.refuseRouters(host, call);
    }

    /** Removes the link if the node's end has an unknown name, as after another program's ADD. */
    private void removeFromPod() throws LinuxNetException {
        Optional<NetworkNamespace> opened = ifThere(net::open);
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
            if (hostEnd.isEmpty()) {
                LinkRemoval.immediate().remove(pod, podEnd.get().index());
            } else if (!isOfAnother(hostEnd.get())) {
                removal.remove(host, hostEnd.get().index());
            }
        }
    }

    /** A failure here does not fail the DEL: without the container these rules match nothing. */
    private void removeUpstreams() {
        try {
            new UpstreamMasquerade(host, call.config().name()).remove(call.attachment());
        } catch (LinuxNetException e) {
            call.warnings()
                    .append("rules of upstream's ipMasq not removed: ")
                    .append(e.getMessage())
                    .append('\n');
        }
    }

    /** Whether the link belongs to another attachment. An ADD was refused because of it then. */
    private boolean isOfAnother(Link hostEnd) {
        return LinkIdentity.isAlias(hostEnd.alias())
                && !hostEnd.alias().equals(call.identity().alias());
    }

    /** EINVAL: the namespace is no longer mounted, and only the plain file is left. */
    private <T> Optional<T> ifThere(NamespaceQuestion<T> question) throws LinuxNetException {
        try {
            return Optional.of(question.ask(call.sandbox().file()));
        } catch (InvalidPathException e) {
            return Optional.empty();
        } catch (LinuxNetException e) {
            if (e.isMissing() || e.errno() == Errno.EINVAL || e.errno() == Errno.ENOTDIR) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
