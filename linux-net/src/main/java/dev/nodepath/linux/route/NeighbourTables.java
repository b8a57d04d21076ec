package dev.nodepath.linux.route;

import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;

/** The permanent neighbours of a namespace's links, and where its VXLAN links forward to. A network namespace hands them out. */
public interface NeighbourTables {

    /** The permanent neighbours of a link; none if there is no such link. */
    List<Neighbour> neighbours(int linkIndex) throws LinuxNetException;

    /** Adds a permanent neighbour, or gives the one of that address this hardware address. ENODEV if there is no such link. */
    void setNeighbour(Neighbour neighbour) throws LinuxNetException;

    /** Removes the neighbour of that address, whatever its hardware address. ENOENT if there is none. */
    void deleteNeighbour(Neighbour neighbour) throws LinuxNetException;

    /** The permanent entries of a VXLAN link; none if there is no such link. */
    List<Forwarding> forwardings(int linkIndex) throws LinuxNetException;

    /** Adds an entry, or gives the one of that hardware address this other end. ENODEV if there is no such link. */
    void setForwarding(Forwarding forwarding) throws LinuxNetException;

    /** Removes the entry. ENOENT if there is none. */
    void deleteForwarding(Forwarding forwarding) throws LinuxNetException;
}
