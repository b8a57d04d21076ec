package dev.nodepath.linux;

import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftJump;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.syscall.Errno;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The nf_tables of one namespace of the fake kernel: which rules there are, not what they do to packets. */
final class FakeNft {
    private final Map<String, List<Entry>> chains = new LinkedHashMap<>();
    private long lastHandle;

    private record Entry(long handle, NftRule rule) {}

    List<NftListedRule> list(NftChain chain) {
        return chains.getOrDefault(key(chain), List.of()).stream()
                .map(entry -> new NftListedRule(entry.handle, entry.rule.comment()))
                .toList();
    }

    List<NftJump> jumps(NftChain chain) {
        List<NftJump> jumps = new ArrayList<>();
        for (Entry entry : chains.getOrDefault(key(chain), List.of())) {
            for (NftStatement statement : entry.rule.statements()) {
                if (statement instanceof NftVerdict jump && !jump.chain().isEmpty()) {
                    jumps.add(new NftJump(entry.handle, jump.chain(), entry.rule.comment()));
                }
            }
        }
        return jumps;
    }

    /** Each chain with its rules, for comparing states. */
    String state() {
        StringBuilder text = new StringBuilder();
        chains.forEach((chain, rules) -> {
            text.append(chain).append('\n');
            rules.forEach(entry -> text.append("  ")
                    .append(entry.rule.statements())
                    .append(" # ")
                    .append(entry.rule.comment())
                    .append('\n'));
        });
        return text.toString();
    }

    void apply(List<NftChange> changes) throws FakeRefusal {
        Map<String, List<Entry>> before = new LinkedHashMap<>();
        chains.forEach((chain, rules) -> before.put(chain, new ArrayList<>(rules)));
        boolean done = false;
        try {
            for (NftChange change : changes) {
                apply(change);
            }
            done = true;
        } finally {
            if (!done) {
                chains.clear();
                chains.putAll(before);
            }
        }
    }

    private void apply(NftChange change) throws FakeRefusal {
        if (change instanceof NftChange.AddTable) {
            return;
        } else if (change instanceof NftChange.AddChain addition) {
            chains.putIfAbsent(key(addition.chain()), new ArrayList<>());
        } else if (change instanceof NftChange.DeleteTable deletion) {
            if (!chains.keySet().removeIf(chain -> chain.startsWith(deletion.table() + " "))) {
                throw new FakeRefusal(Errno.ENOENT);
            }
        } else if (change instanceof NftChange.FlushChain flush) {
            rules(flush.chain()).clear();
        } else if (change instanceof NftChange.AddRule addition) {
            List<Entry> rules = rules(addition.chain());
            for (NftStatement statement : addition.rule().statements()) {
                if (statement instanceof NftVerdict jump
                        && !jump.chain().isEmpty()
                        && !chains.containsKey(addition.chain().table() + " " + jump.chain())) {
                    throw new FakeRefusal(Errno.ENOENT);
                }
            }
            rules.add(new Entry(++lastHandle, addition.rule()));
        } else if (change instanceof NftChange.DeleteRule deletion) {
            if (!rules(deletion.chain()).removeIf(entry -> entry.handle == deletion.handle())) {
                throw new FakeRefusal(Errno.ENOENT);
            }
        } else if (change instanceof NftChange.DeleteChain deletion) {
            rules(deletion.chain());
            if (isUsed(deletion.chain())) {
                throw new FakeRefusal(Errno.EBUSY);
            }
            chains.remove(key(deletion.chain()));
        } else {
            throw new IllegalArgumentException("change: " + change + " (expected: of chains and rules)");
        }
    }

    private List<Entry> rules(NftChain chain) throws FakeRefusal {
        List<Entry> rules = chains.get(key(chain));
        if (rules == null) {
            throw new FakeRefusal(Errno.ENOENT);
        }
        return rules;
    }

    private boolean isUsed(NftChain chain) {
        NftStatement jump = NftVerdict.jump(chain.name());
        return chains.values().stream()
                .flatMap(List::stream)
                .anyMatch(entry -> entry.rule.statements().contains(jump));
    }

    private static String key(NftChain chain) {
        return chain.table() + " " + chain.name();
    }
}
