package dev.nodepath.policy.object;

import java.util.List;

/** Domain names, which are not enforced: no connection has this peer. */
public record DomainPeer(List<String> names) implements Peer {
    /** Copies the list. */
    public DomainPeer {
        names = List.copyOf(names);
    }
}
