package dev.nodepath.cni;

import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.protocol.CniException;
import java.io.IOException;
import java.util.Set;

/**
 * Frees addresses if the configuration names another plugin.
 *
 * <p>The ADD may have used host-local, so host-local's addresses are freed too. An ADD with another plugin leaves none
 * of them. So if there are any, the other plugin holds nothing for the container, and its failure or absence is
 * ignored.
 */
record DelegatedRelease(AddressRelease delegate, HeldAddresses held) implements AddressRelease {

    @Override
    public boolean needsLink() {
        return delegate.needsLink();
    }

    @Override
    public void del() throws CniException, IOException {
        boolean heldHere = !held.isEmpty();
        held.del();
        try {
            delegate.del();
        } catch (CniException e) {
            if (!heldHere) {
                throw e;
            }
        }
    }

    @Override
    public Set<Attachment> attachments() throws IOException {
        return held.attachments();
    }

    @Override
    public void gc(Set<Attachment> valid) throws CniException, IOException {
        held.gc(valid);
        delegate.gc(valid);
    }
}
