package dev.nodepath.linux.iptables;

import dev.nodepath.linux.IpFamily;

/** The iptables commands of one address family, in the network namespace of the calling thread. */
public interface Iptables {

    /** The family: {@code iptables} or {@code ip6tables}. */
    IpFamily family();

    /**
     * Lists a table as {@code iptables-save -t TABLE} does.
     *
     * @throws IptablesException if the command is missing or fails
     */
    String save(Table table) throws IptablesException;

    /**
     * Loads a text as {@code iptables-restore --noflush -w} does: all of a table's part, or nothing of it.
     *
     * @throws IptablesException if the command is missing or refuses the text; the message names the line
     */
    void restore(String text) throws IptablesException;
}
