package dev.nodepath.linux.nftables;

import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;

/**
 * A table as a whole, from whatever program.
 *
 * @param nft the tables of its network namespace
 */
public record WholeTable(NftTables nft, NftTable table) {
    /** Whether the kernel has nf_tables for the table's family. */
    public boolean canBe() throws LinuxNetException {
        return isAccepted(nft::check, new NftTransaction().add(new NftChange.AddTable(table)));
    }

    /**
     * Asks the kernel whether it would accept this content. The present content of the table does not matter.
     *
     * @throws LinuxNetException if it would not; the message names an expression that the kernel lacks
     */
    public void check(NftTableState content) throws LinuxNetException {
        send(nft::check, whole(content));
    }

    /**
     * Makes the table with this content, in place of the present one.
     *
     * @throws LinuxNetException as {@link #check}
     */
    public void make(NftTableState content) throws LinuxNetException {
        send(nft::apply, whole(content));
    }

    private NftTransaction whole(NftTableState content) {
        NftTransaction transaction = new NftTransaction()
                .add(new NftChange.AddTable(table))
                .add(new NftChange.DeleteTable(table))
                .add(new NftChange.AddTable(table, content.comment()));
        content.sets().values().forEach(each -> transaction.add(new NftChange.AddSet(each.set())));
        content.sets().values().stream()
                .filter(each -> !each.elements().isEmpty())
                .forEach(each -> transaction.add(new NftChange.AddElements(
                        each.set(), List.copyOf(each.elements().values()))));
        content.chains().values().forEach(each -> transaction.add(new NftChange.AddChain(each.chain())));
        content.chains()
                .values()
                .forEach(each ->
                        each.rules().forEach(rule -> transaction.add(new NftChange.AddRule(each.chain(), rule))));
        return transaction;
    }

    /** Whether there is such a table. A kernel without nf_tables has none. */
    public boolean exists() throws LinuxNetException {
        return isAccepted(nft::check, new NftTransaction().add(new NftChange.DeleteTable(table)));
    }

    /**
     * Removes the table.
     *
     * @return whether there was one; a kernel without nf_tables has none
     */
    public boolean remove() throws LinuxNetException {
        return isAccepted(nft::apply, new NftTransaction().add(new NftChange.DeleteTable(table)));
    }

    /** Makes a transaction, or tries it. */
    private interface Sender {
        void send(NftTransaction transaction) throws LinuxNetException, NftRefusedException;
    }

    private boolean isAccepted(Sender sender, NftTransaction transaction) throws LinuxNetException {
        try {
            send(sender, transaction);
            return true;
        } catch (LinuxNetException e) {
            return switch (e.errno()) {
                case ENOENT, EOPNOTSUPP, EPROTONOSUPPORT, EINVAL -> false;
                default -> throw e;
            };
        }
    }

    private void send(Sender sender, NftTransaction transaction) throws LinuxNetException {
        try {
            sender.send(transaction);
        } catch (NftRefusedException e) {
            throw new LinuxNetException("table " + table.name(), e.errno().number(), String.valueOf(e.getMessage()), e);
        }
    }
}
