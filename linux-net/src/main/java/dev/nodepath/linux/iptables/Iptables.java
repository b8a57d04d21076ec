package dev.nodepath.linux.iptables;

import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The iptables commands of one address family, in one network namespace. */
public interface Iptables {

    /** The family: {@code iptables} or {@code ip6tables}. */
    IpFamily family();

    /**
     * The version and variant of the command. Read once.
     *
     * @throws IptablesException if the command is missing or fails
     */
    IptablesVersion version() throws IptablesException;

    /**
     * Checks whether the tables can be read and changed. It runs the command once; the size of the tables does not
     * matter.
     *
     * @throws IptablesException if the command or the right to use it is missing, or the kernel has no such tables
     */
    void check() throws IptablesException;

    /**
     * Lists a table as {@code iptables-save -t TABLE} does.
     *
     * @throws IptablesException if the command is missing or fails
     */
    String save(Table table) throws IptablesException;

    /**
     * Lists all tables as {@code iptables-save} does, in one run instead of three.
     *
     * @throws IptablesException if the command is missing or fails
     */
    String save() throws IptablesException;

    /** The tables of {@link #save()}, parsed while the command runs if possible. */
    default Map<Table, SavedTable> tables() throws IptablesException {
        return SavedTable.parseAll(save());
    }

    /**
     * The rules of one chain, as {@code iptables -t TABLE -S CHAIN} lists them, without the chain; empty if there is no
     * such chain. With the nf_tables variant the cost does not depend on other chains.
     *
     * @throws IptablesException if the command is missing or fails
     */
    default Optional<List<String>> rules(Table table, String chain) throws IptablesException {
        return Optional.ofNullable(SavedTable.parse(save(table)).rules().get(chain));
    }

    /**
     * Loads a text as {@code iptables-restore --noflush -w} does: for each table the whole part, or nothing of it.
     *
     * @throws IptablesException if the command is missing or refuses the text; the message names the line
     */
    void restore(String text) throws IptablesException;

    /** Loads a text that is generated during the load, if possible. */
    default void restore(RestoreText text) throws IptablesException {
        restore(text.toString());
    }

    /** Counts changes by other programs, see {@link TableWatch#changesByOthers}. */
    OptionalLong changesByOthers();

    /** Whether changes by other programs are never missed, see {@link TableWatch#seesAllChanges}. */
    default boolean seesAllChanges() {
        return false;
    }
}
