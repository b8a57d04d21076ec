package dev.nodepath.cni;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.protocol.CniEnvironment;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.cni.protocol.Names;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The command GC. It continues if something cannot be removed, and reports all failures at the end. */
final class GarbageCollection {
    private static final String VALID = "cni.dev/valid-attachments";

    /** The most valid attachments. A node has some hundred containers. */
    private static final int ATTACHMENTS_MAX = 100_000;

    private static final int PROBLEMS_TOLD_MAX = 10;

    private final NetworkNamespace host;
    private final HostLocalIpam hostLocal;
    private final AddressGate gate;
    private final Call call;
    private final AddressRelease addresses;
    private final List<String> problems = new ArrayList<>();

    GarbageCollection(NetworkNamespace host, HostLocalIpam hostLocal, AddressGate gate, Call call) {
        this.host = host;
        this.hostLocal = hostLocal;
        this.gate = gate;
        this.call = call;
        this.addresses = AddressRelease.of(hostLocal, call);
    }

    void run() throws CniException, IOException {
        Set<Attachment> valid = valid();
        Set<Attachment> known = new LinkedHashSet<>();
        for (Link link : host.links()) {
            LinkIdentity.ofAlias(call.config().name(), link).ifPresent(known::add);
        }
        attempt(() -> known.addAll(addresses.attachments()));
        Set<String> validContainers = new HashSet<>();
        valid.forEach(attachment -> validContainers.add(attachment.containerId()));
        // A very old address file names a container without its interface.
        known.removeIf(attachment -> valid.contains(attachment)
                || (attachment.ifname().isEmpty() && validContainers.contains(attachment.containerId())));
        removeLinks(known);
        Set<Attachment> kept = new HashSet<>(valid);
        kept.addAll(withLink(known));
        known.removeAll(kept);
        attempt(() -> SourceCheck.removeOthers(host, call.config().name(), kept));
        attempt(() -> SpoofChains.removeOthers(host, call.config().name(), kept));
        attempt(() -> Masquerade.removeOthers(host, call.config().name(), kept));
        attempt(() -> HostPorts.removeOthers(host, call.config().name(), kept));
        attempt(() -> new UpstreamMasquerade(host, call.config().name()).removeOthers(kept));
        attempt(() -> gate.release(
                call.config().name(), () -> HeldAddresses.of(hostLocal, call).ofAny(known)));
        attempt(() -> addresses.gc(kept));
        NodeBridge.refuseRouters(host, call);
        attempt(() -> EmptyBridge.prune(host, hostLocal, call));
        if (!problems.isEmpty()) {
            throw new CniException(
                    ErrorCode.INTERNAL,
                    String.join("; ", problems.subList(0, Math.min(problems.size(), PROBLEMS_TOLD_MAX))),
                    problems.size() + " problems");
        }
    }

    /**
     * Finds links by their attachments. A link without an alias is found by the name that follows from its address's
     * owner.
     */
    private void removeLinks(Set<Attachment> attachments) {
        List<Integer> indexes = new ArrayList<>();
        for (Attachment attachment : attachments) {
            LinkIdentity identity = new LinkIdentity(call.config().name(), attachment);
            attempt(() -> identity.find(host).ifPresent(link -> indexes.add(link.index())));
            attempt(() -> new SpoofChains(host, identity).remove());
            attempt(() -> new Masquerade(host, identity).remove());
        }
        attempt(() -> host.deleteLinks(indexes));
    }

    /** Attachments that may still have their link keep their addresses and rules until the next GC. */
    private Set<Attachment> withLink(Set<Attachment> attachments) {
        Set<Attachment> linked = new HashSet<>(attachments);
        attempt(() -> {
            List<Link> links = host.links();
            linked.removeIf(attachment -> new LinkIdentity(call.config().name(), attachment)
                    .find(links)
                    .isEmpty());
        });
        return linked;
    }

    private Set<Attachment> valid() throws CniException {
        JsonObject json = call.json();
        if (!json.has(VALID)) {
            // A missing list must not count as empty: GC would detach every container.
            throw json.refusal(VALID, "a list of attachments");
        }
        List<JsonObject> list = json.objects(VALID);
        if (list.size() > ATTACHMENTS_MAX) {
            throw json.refusal(VALID, "at most " + ATTACHMENTS_MAX);
        }
        Set<Attachment> valid = new HashSet<>();
        for (JsonObject entry : list) {
            String container = entry.string("containerID").orElse("");
            String ifname = entry.string("ifname").orElse("");
            if (!Names.isIdentifier(container)) {
                throw entry.refusal("containerID", Names.IDENTIFIER);
            }
            if (!CniEnvironment.isInterfaceName(ifname)) {
                throw entry.refusal("ifname", CniEnvironment.interfaceNameRule());
            }
            valid.add(new Attachment(container, ifname));
        }
        return valid;
    }

    /** A step whose failure must not stop the others. */
    private interface Part {
        void run() throws CniException, IOException;
    }

    private void attempt(Part part) {
        try {
            part.run();
        } catch (LinuxNetException e) {
            problems.add(String.valueOf(e.getMessage()));
        } catch (CniException | IOException e) {
            problems.add(Invocation.explain(e).text());
        }
    }
}
