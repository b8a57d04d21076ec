package dev.nodepath.policy.object;

import java.util.List;

/** Domain names, which are not enforced: no connection has this peer. */
record DomainPeer(List<String> names) implements Peer {
    /** Copies the list. */
    DomainPeer {
        names = List.copyOf(names);
    }
}
