package dev.nodepath.linux.route;

import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;

/** The permanent neighbours of a namespace's links, and the forwarding tables of its VXLAN links. */
public interface NeighbourTables {

    /** The permanent neighbours of a link; none if there is no such link. */
    List<Neighbour> neighbours(int linkIndex) throws LinuxNetException;

    /** Adds a permanent neighbour or replaces its hardware address. ENODEV if there is no such link. */
    void setNeighbour(Neighbour neighbour) throws LinuxNetException;

    /** Removes the neighbour of that address, with any hardware address. ENOENT if there is none. */
    void deleteNeighbour(Neighbour neighbour) throws LinuxNetException;

    /** The permanent entries of a VXLAN link; none if there is no such link. */
    List<Forwarding> forwardings(int linkIndex) throws LinuxNetException;

    /** Adds an entry or replaces its remote address. ENODEV if there is no such link. */
    void setForwarding(Forwarding forwarding) throws LinuxNetException;

    /** Removes the entry. ENOENT if there is none. */
    void deleteForwarding(Forwarding forwarding) throws LinuxNetException;
}
