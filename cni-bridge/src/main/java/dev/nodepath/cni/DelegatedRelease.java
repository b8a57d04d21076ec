package dev.nodepath.cni;

import dev.nodepath.cni.ipam.Attachment;
import java.io.IOException;
import java.util.Set;

/**
 * Takes addresses back where the configuration names another plugin. It may have named none at the ADD, so what is held here
 * goes too; and if something was, a plugin that is not there or refuses has nothing of the attachment.
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
