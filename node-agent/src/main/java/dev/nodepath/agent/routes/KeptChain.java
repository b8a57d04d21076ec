package dev.nodepath.agent.routes;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;

/**
 * A chain of nf_tables that is rewritten in one transaction, so no packet meets half of it. A rule's comment contains
 * the whole rule, so comparing comments compares rules.
 */
final class KeptChain {
    private final NetworkNamespace namespace;
    private final NftChain chain;
    private volatile List<String> ensured = List.of();

    KeptChain(NetworkNamespace namespace, NftChain chain) {
        this.namespace = namespace;
        this.chain = chain;
    }

    /** Adds or repairs the rules. */
    void ensure(List<NftRule> rules) throws LinuxNetException {
        List<String> comments = rules.stream().map(NftRule::comment).toList();
        // Rules that were never added cannot be lost: a refused change has its own retry.
        ensured = List.of();
        if (!comments.equals(present())) {
            rewrite(rules);
        }
        ensured = comments;
    }

    private void rewrite(List<NftRule> rules) throws LinuxNetException {
        List<NftChange> changes = new ArrayList<>();
        changes.add(new NftChange.AddTable(chain.table()));
        changes.add(new NftChange.AddChain(chain));
        changes.add(new NftChange.FlushChain(chain));
        rules.forEach(rule -> changes.add(new NftChange.AddRule(chain, rule)));
        namespace.nftApply(changes);
    }

    /**
     * Whether other programs have changed the rules. After true it returns false until the next {@link #ensure}.
     * Thread-safe.
     */
    boolean isLost() throws LinuxNetException {
        List<String> expected = ensured;
        boolean lost = !expected.isEmpty() && !expected.equals(present());
        if (lost) {
            ensured = List.of();
        }
        return lost;
    }

    private List<String> present() throws LinuxNetException {
        return namespace.nftRules(chain).stream().map(NftListedRule::comment).toList();
    }

    /** Removes the rules and their chain; nothing happens if there are none. */
    void remove() throws LinuxNetException {
        ensured = List.of();
        if (!namespace.nftRules(chain).isEmpty()) {
            namespace.nftApply(List.of(new NftChange.FlushChain(chain), new NftChange.DeleteChain(chain)));
        }
    }
}
