package dev.nodepath.cni.addresses;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.RemovalConfigParser;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.ipam.HostLocalIpam;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The addresses that are kept in folders of this node: where they are is all that must be known to take them back.
 *
 * @param dataDirs in which of them the attachment's addresses may be
 */
public record HeldAddresses(HostLocalIpam ipam, List<Path> dataDirs, String network, Attachment attachment)
        implements AddressRelease {

    /** Those of a call's attachment, wherever its configuration of today or that of before may keep them. */
    public static HeldAddresses of(HostLocalIpam ipam, Call call) {
        return new HeldAddresses(
                ipam,
                RemovalConfigParser.dataDirs(call.json(), call.dataDirDefault()),
                call.config().name(),
                call.attachment());
    }

    /** Whether the attachment has none. */
    boolean isEmpty() throws IOException {
        for (Path dataDir : dataDirs) {
            if (!ipam.find(dataDir, network, attachment).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean needsLink() {
        return false;
    }

    @Override
    public void del() throws IOException {
        for (Path dataDir : dataDirs) {
            ipam.release(dataDir, network, attachment);
        }
    }

    @Override
    public Set<Attachment> attachments() throws IOException {
        Set<Attachment> attachments = new HashSet<>();
        for (Path dataDir : dataDirs) {
            attachments.addAll(ipam.attachments(dataDir, network));
        }
        return attachments;
    }

    @Override
    public void gc(Set<Attachment> valid) throws IOException {
        for (Path dataDir : dataDirs) {
            ipam.releaseAllBut(dataDir, network, valid);
        }
    }
}
