package dev.nodepath.policy.object;

import java.util.List;

/** Domain names, which are not enforced: they match no connection. */
record DomainPeer(List<String> names) implements Peer {
    DomainPeer {
        names = List.copyOf(names);
    }
}
