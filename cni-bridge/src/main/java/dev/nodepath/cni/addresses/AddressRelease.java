package dev.nodepath.cni.addresses;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.IpamConfigParser;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.protocol.CniException;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/** How addresses are taken back, for which less must be known than for giving them. */
public interface AddressRelease {

    /** For a call's attachment. Its configuration may be another one than at the ADD. */
    static AddressRelease of(HostLocalIpam hostLocal, Call call) {
        HeldAddresses held = HeldAddresses.of(hostLocal, call);
        Optional<String> type = call.config().ipamType();
        return type.isEmpty() || type.get().equals(IpamConfigParser.TYPE)
                ? held
                : new DelegatedRelease(new DelegatedIpam(type.get(), call), held);
    }

    /**
     * Whether addresses are asked for, and given back, over the container's own link, as by DHCP: it has to be there and
     * to carry packets then.
     */
    boolean needsLink();

    /** Takes the container's addresses back; that it has none is fine. */
    void del() throws CniException, IOException;

    /** The attachments that have addresses, as far as is known here. */
    Set<Attachment> attachments() throws IOException;

    /** Takes back the addresses of all other attachments. */
    void gc(Set<Attachment> valid) throws CniException, IOException;
}
