package dev.nodepath.cni;

import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.HashSet;
import java.util.Set;

/**
 * The name that an attachment's rules bear. Earlier versions gave some attachments the same name. Rules with such a
 * name are left to a namesake that may need them: its link is there, and no rule bears its own name.
 */
final class RuleOwner {
    private final NetworkNamespace host;
    private final LinkIdentity identity;
    private final int lengthMax;

    /**
     * The owner of rules in the node's namespace.
     *
     * @param lengthMax the longest name, in characters
     */
    RuleOwner(NetworkNamespace host, LinkIdentity identity, int lengthMax) {
        this.host = host;
        this.identity = identity;
        this.lengthMax = lengthMax;
    }

    /** The name for new rules. */
    String name() {
        return identity.shortName(lengthMax);
    }

    /** The name that an earlier version gave. */
    String earlierName() {
        return identity.earlierName(lengthMax);
    }

    /**
     * The names on rules that are this attachment's and no other's.
     *
     * @param present the names on all rules that are there
     */
    Set<String> names(Set<String> present) throws LinuxNetException {
        Set<String> names = new HashSet<>();
        names.add(name());
        if (present.contains(earlierName())) {
            boolean shared = false;
            for (LinkIdentity other : identity.namesakes(host)) {
                String name = other.shortName(lengthMax);
                shared |= name.equals(earlierName()) || !present.contains(name);
            }
            if (shared) {
                names.remove(earlierName());
            } else {
                names.add(earlierName());
            }
        }
        return names;
    }

    /** The owner names on rules that these attachments need. */
    static Set<String> kept(String network, Set<Attachment> valid, int lengthMax, Set<String> present) {
        Set<String> kept = new HashSet<>();
        for (Attachment attachment : valid) {
            LinkIdentity identity = new LinkIdentity(network, attachment);
            String name = identity.shortName(lengthMax);
            kept.add(present.contains(name) ? name : identity.earlierName(lengthMax));
        }
        return kept;
    }
}
