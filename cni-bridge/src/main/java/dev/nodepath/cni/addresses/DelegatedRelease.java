package dev.nodepath.cni.addresses;

import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.protocol.CniException;
import java.io.IOException;
import java.util.Set;

/**
 * Takes addresses back where the configuration names another plugin.
 *
 * <p>At the ADD it may have named host-local, so addresses that are held here go too. An ADD with another plugin leaves none
 * here. So if there are any, the last ADD was one with host-local, and the other plugin has nothing to give back: its refusal
 * does not matter then, nor that it is missing.
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
