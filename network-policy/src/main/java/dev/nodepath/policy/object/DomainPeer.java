package dev.nodepath.policy.object;

import java.util.List;

/** Domain names, which are not enforced: no connection has this peer. */
record DomainPeer(List<String> names) implements Peer {
    DomainPeer {
        names = List.copyOf(names);
    }
}
