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

/** The command DEL: takes away a container's interface, its rules and its addresses. What is missing already is fine. */
final class AttachmentRemoval {
    /** What needs the file of the container's namespace. */
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
                    .append("link and addresses left: they belong to container ")
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
        // Only now: an address that is given away while its old link has it is on two links.
        if (!addresses.needsLink()) {
            addresses.del();
        }
        EmptyBridge.prune(host, hostLocal, call);
    }

    /**
     * Whether the attachment has its link in another namespace than the one that is given. A second ADD was refused because of
     * that link, and this is the DEL that follows. A link whose end in the container was renamed is still there.
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

    /** Without a link of the right name on the node, as after another program's ADD. */
    private void removeFromPod() throws LinuxNetException {
        Optional<NetworkNamespace> opened = ifThere(net::open);
        if (opened.isEmpty()) {
            return;
        }
        try (NetworkNamespace pod = opened.get()) {
            Optional<Link> podEnd = pod.link(call.attachment().ifname());
            // Only what an ADD makes is taken away; the loopback link and a node's own hardware are not ours.
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

    /** What upstream's plugin made for a container must not hinder its DEL: it leads to nobody once the address is free. */
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

    /** Another attachment's interface is in the container after an ADD that was refused because of it. */
    private boolean isOfAnother(Link hostEnd) {
        return LinkIdentity.isAlias(hostEnd.alias())
                && !hostEnd.alias().equals(call.identity().alias());
    }

    /** EINVAL is the plain file that is left of a namespace which is no longer mounted. */
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
