package dev.nodepath.cni;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.RemovalConfigParser;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The addresses in host-local's folders. Only the folders must be known to free them.
 *
 * @param dataDirs the folders that may hold the attachment's addresses
 */
record HeldAddresses(HostLocalIpam ipam, List<Path> dataDirs, String network, Attachment attachment)
        implements AddressRelease {

    /** The addresses of a call's attachment, in the configured folder and in the default folder. */
    static HeldAddresses of(HostLocalIpam ipam, Call call) {
        return new HeldAddresses(
                ipam,
                RemovalConfigParser.dataDirs(call.json(), call.dataDirDefault()),
                call.config().name(),
                call.attachment());
    }

    /** The attachment's addresses. */
    Set<IpAddress> addresses() throws IOException {
        Set<IpAddress> addresses = new HashSet<>();
        for (Path dataDir : dataDirs) {
            addresses.addAll(ipam.find(dataDir, network, attachment));
        }
        return addresses;
    }

    /** The addresses of the container's other interfaces on the network. */
    Set<IpAddress> ofOtherInterfaces() throws IOException {
        Set<IpAddress> addresses = new HashSet<>();
        for (Path dataDir : dataDirs) {
            addresses.addAll(ipam.findOfOtherInterfaces(dataDir, network, attachment));
        }
        return addresses;
    }

    /** The addresses of these attachments. */
    Set<IpAddress> ofAny(Set<Attachment> attachments) throws IOException {
        Set<IpAddress> addresses = new HashSet<>();
        for (Path dataDir : dataDirs) {
            ipam.held(dataDir, network).forEach((holder, held) -> {
                if (attachments.contains(holder)) {
                    addresses.addAll(held);
                }
            });
        }
        return addresses;
    }

    /** Whether the attachment has none. */
    boolean isEmpty() throws IOException {
        return addresses().isEmpty();
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
