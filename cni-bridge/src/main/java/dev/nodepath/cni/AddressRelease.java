package dev.nodepath.cni;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.IpamConfigParser;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.protocol.CniException;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/** Frees addresses. It needs less of the configuration than {@link Ipam}. */
interface AddressRelease {

    /** The release for a call's attachment. The configuration may have changed since the ADD. */
    static AddressRelease of(HostLocalIpam hostLocal, Call call) {
        HeldAddresses held = HeldAddresses.of(hostLocal, call);
        Optional<String> type = call.config().ipamType();
        return type.isEmpty() || type.get().equals(IpamConfigParser.TYPE)
                ? held
                : new DelegatedRelease(new DelegatedIpam(type.get(), call), held);
    }

    /** Whether address management uses the container's own link, like DHCP. The link must be up then. */
    boolean needsLink();

    /** Frees the container's addresses. Having none is no error. */
    void del() throws CniException, IOException;

    /** The known attachments with addresses. */
    Set<Attachment> attachments() throws IOException;

    /** Frees the addresses of all other attachments. */
    void gc(Set<Attachment> valid) throws CniException, IOException;
}
