package dev.nodepath.agent.daemon;

import dev.nodepath.agent.cluster.Notices;
import dev.nodepath.agent.install.PolicyMark;
import dev.nodepath.agent.metrics.PolicyMetrics;
import dev.nodepath.agent.parts.Part;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.agent.process.KernelVersion;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.link.BridgeNetfilter;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.policy.PolicyNode;
import dev.nodepath.policy.PolicyObjects;
import dev.nodepath.policy.PolicyTables;
import dev.nodepath.policy.object.ClusterNetworkPolicy;
import dev.nodepath.policy.object.PolicySnapshot;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the tables of the NetworkPolicies. They stay in force while the part does not run. Without a policy the part
 * is up, and removes leftovers of earlier ones. Without access to policies it removes nothing.
 */
public final class PolicyPart implements Part {
    static final String REASON = "NetworkPolicyNotEnforced";
    private static final String LIMITED = "NetworkPolicyLimited";

    private static final String INCOMPLETE =
            "there are policies, but not all Pods, Namespaces, Nodes and ClusterNetworkPolicies are known yet";

    private static final Logger LOG = LoggerFactory.getLogger(PolicyPart.class);

    /** The longest wait for a change, after which the part looks whether it is to stop. */
    private static final Duration TURN = Duration.ofMillis(200);

    /** The interval of looks for changes by other programs. */
    static final Duration LOOK = Duration.ofSeconds(5);

    private final KernelLinuxNet net;
    private final PolicyNode node;
    private final PolicyObjects objects;
    private final PolicyMark mark;
    private final Consumer<PolicySnapshot> asked;
    private final Optional<String> limit;
    private final Notices notices;
    private final PolicyMetrics metrics;

    /**
     * Policies of this process's namespace.
     *
     * @param node this node; packets of its bridge must pass netfilter
     * @param mark is there while there is a policy
     * @param asked gets each snapshot before the tables enforce it
     * @param limit the traffic that is not enforced, in words
     * @param metrics get the results of the part
     */
    public PolicyPart(
            KernelLinuxNet net,
            PolicyNode node,
            PolicyObjects objects,
            PolicyMark mark,
            Consumer<PolicySnapshot> asked,
            Optional<String> limit,
            Notices notices,
            PolicyMetrics metrics) {
        this.net = net;
        this.node = node;
        this.objects = objects;
        this.mark = mark;
        this.asked = asked;
        this.limit = limit;
        this.notices = notices;
        this.metrics = metrics;
    }

    @Override
    public String name() {
        return "policy";
    }

    @Override
    public void run(Running running) throws IOException, InterruptedException {
        boolean removed = false;
        long nextRemoval = System.nanoTime();
        Duration turn = Duration.ZERO;
        keepEarlier();
        do {
            PolicyObjects.Known known = objects.known(turn);
            turn = TURN;
            switch (known) {
                case NOTHING -> running.waiting("the NetworkPolicies are not known yet");
                case NONE -> {
                    asked.accept(PolicySnapshot.EMPTY);
                    if (removed) {
                        running.up();
                    } else if (System.nanoTime() - nextRemoval >= 0) {
                        removed = removeMark(removeTables(net), mark, notices, running);
                        nextRemoval = System.nanoTime() + LOOK.toNanos();
                    }
                    tellOfMissing();
                }
                case SOME -> {
                    enforce(running);
                    removed = false;
                    nextRemoval = System.nanoTime();
                    turn = Duration.ZERO;
                }
            }
        } while (!running.awaitStop(Duration.ZERO));
    }

    /** The tables show the policies that were in force before; after a restart of the node only the mark does. */
    private void keepEarlier() {
        if (mark.hasClusterPolicies()) {
            keepClusterPolicies("mark");
            return;
        }
        try (NftTables nft = net.nftTables()) {
            if (PolicyTables.haveClusterPolicies(nft)) {
                keepClusterPolicies("tables");
            }
        } catch (LinuxNetException e) {
            LOG.atDebug().addKeyValue("error", e.getMessage()).log("policy.no_earlier_tables");
        }
    }

    private void keepClusterPolicies(String sign) {
        objects.keepClusterPolicies();
        LOG.atInfo().addKeyValue("sign", sign).log("policy.cluster_policies_awaited");
    }

    /** Until there is no policy any more, or the part is to stop. */
    private void enforce(Running running) throws IOException, InterruptedException {
        Optional<PolicyObjects.Update> first = first(running);
        if (first.isEmpty()) {
            return;
        }
        // The relay asks also where the kernel cannot.
        asked.accept(first.get().snapshot());
        try {
            KernelVersion kernel = KernelVersion.ofThis();
            kernel.requireNftables("--network-policy", "--network-policy=false");
            keepTables(running, kernel, first.get().snapshot());
        } catch (IOException e) {
            metrics.failed();
            objects.enforced(Optional.empty());
            notices.warn(REASON, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    /** Empty if the part is to stop. */
    private Optional<PolicyObjects.Update> first(Running running) throws InterruptedException {
        Optional<PolicyObjects.Update> update = objects.take(TURN);
        while (update.isEmpty()) {
            running.waiting(INCOMPLETE);
            if (running.awaitStop(Duration.ZERO)) {
                return Optional.empty();
            }
            update = objects.take(TURN);
        }
        return update;
    }

    private void keepTables(Running running, KernelVersion kernel, PolicySnapshot first)
            throws IOException, InterruptedException {
        try (NetworkNamespace namespace = net.current();
                NftTables nft = net.nftTables()) {
            List<IpFamily> families = families(nft);
            PolicyTables tables = new PolicyTables(nft, families, logging(nft, families), kernel.removesChainsAtOnce());
            objects.restore(tables.isolatedWithoutStatus(first));
            Duration turn = Duration.ZERO;
            long nextLook = System.nanoTime();
            do {
                Optional<PolicyObjects.Update> update = objects.take(turn);
                turn = TURN;
                if (update.isEmpty()) {
                    running.waiting(INCOMPLETE);
                    continue;
                }
                PolicySnapshot snapshot = update.get().snapshot();
                if (snapshot.isWithoutPolicies()) {
                    objects.enforced(Optional.of(PolicySnapshot.EMPTY));
                    metrics.stands(List.of());
                    return;
                }
                boolean looks = System.nanoTime() - nextLook >= 0;
                if (looks || !update.get().changes().isEmpty()) {
                    putMark(!snapshot.clusterPolicies().isEmpty());
                }
                sync(tables, update.get());
                if (looks) {
                    nextLook = System.nanoTime() + LOOK.toNanos();
                    tables.look();
                    objects.enforced(Optional.of(snapshot), tables.refusedPods());
                    metrics.stands(tables.stats());
                    report(running, tables, namespace, snapshot);
                }
            } while (!running.awaitStop(Duration.ZERO));
        }
    }

    /** The node, without a log where the kernel has none. */
    private PolicyNode logging(NftTables nft, List<IpFamily> families) {
        for (IpFamily family : node.logGroup() == 0 ? List.<IpFamily>of() : families) {
            Optional<String> problem = PolicyTables.problem(nft, family, node);
            if (problem.isPresent()) {
                notices.warn(
                        "NetworkPolicyNotLogged",
                        "--network-policy-log-group: " + node.logGroup() + ": nobody is told of refused packets: "
                                + problem.get() + " (expected: a kernel with CONFIG_NFT_LOG and nfnetlink_log)");
                return node.withoutLog();
            }
        }
        return node;
    }

    private static List<IpFamily> families(NftTables nft) throws IOException {
        List<IpFamily> families = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            if (PolicyTables.canBe(nft, family)) {
                families.add(family);
            }
        }
        if (families.isEmpty()) {
            throw new IOException("--network-policy: the kernel has no nf_tables for either family");
        }
        return families;
    }

    private void sync(PolicyTables tables, PolicyObjects.Update update) throws LinuxNetException {
        asked.accept(update.snapshot());
        long start = System.nanoTime();
        long before = tables.written();
        tables.sync(update.snapshot(), update.changes());
        objects.enforced(Optional.of(update.snapshot()), tables.refusedPods());
        if (tables.written() > before) {
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            metrics.synced(took);
            LOG.atInfo()
                    .addKeyValue("policies", update.snapshot().policies().size())
                    .addKeyValue(
                            "cluster_policies",
                            update.snapshot().clusterPolicies().size())
                    .addKeyValue("pods", update.snapshot().pods().size())
                    .addKeyValue("written", tables.written() - before)
                    .addKeyValue("duration_ms", took.toMillis())
                    .log("policy.synced");
        }
    }

    private void report(Running running, PolicyTables tables, NetworkNamespace namespace, PolicySnapshot snapshot)
            throws LinuxNetException {
        snapshot.clusterPolicies().values().stream()
                .filter(ClusterNetworkPolicy::hasDomainNames)
                .forEach(policy -> notices.warn(
                        LIMITED,
                        "ClusterNetworkPolicy " + policy.name().name()
                                + ": domainNames: not enforced, so they accept nothing (expected: networks, nodes,"
                                + " namespaces or pods)"));
        limit.ifPresent(words -> notices.warn(LIMITED, words));
        tellOfMissing();
        Optional<String> problem = problem(tables, namespace);
        if (problem.isPresent()) {
            notices.warn(REASON, problem.get());
            running.waiting(problem.get());
        } else {
            running.up();
        }
    }

    private void tellOfMissing() {
        objects.missing()
                .forEach(kind -> notices.warn(
                        REASON, kind + ": not listed by the API server, so rules that need them are not enforced"));
    }

    private Optional<String> problem(PolicyTables tables, NetworkNamespace namespace) throws LinuxNetException {
        SortedMap<String, String> refused = tables.refused();
        if (!refused.isEmpty()) {
            return Optional.of("the kernel has refused " + refused);
        }
        if (!BridgeNetfilter.isLoaded()) {
            return Optional.of(
                    "kernel module br_netfilter: not loaded, so pods of this node reach each other (expected:"
                            + " 'modprobe br_netfilter' on this node)");
        }
        Optional<Link> pods = namespace.link(node.bridge());
        for (IpFamily family : pods.isEmpty() ? List.<IpFamily>of() : tables.families()) {
            if (!namespace.hasNetfilter(pods.get(), family)) {
                String setting = BridgeNetfilter.setting(family);
                return Optional.of("bridge " + node.bridge() + ": its " + family
                        + " packets do not pass netfilter, so pods of this node reach each other (expected: "
                        + setting.substring("bridge-".length()).replace('-', '_') + " of the bridge, or net.bridge."
                        + setting + "=1)");
            }
        }
        return Optional.empty();
    }

    /** Before the tables: a restart of the node may come between. */
    private void putMark(boolean cluster) {
        try {
            mark.put(cluster);
        } catch (IOException e) {
            notices.warn(
                    LIMITED,
                    "after a restart of this node pods may start before the agent enforces their policies: "
                            + e.getMessage());
        }
    }

    /**
     * Removes the mark if no policy is enforced, and warns about remaining tables. The part is up when no table is
     * left.
     *
     * @param standing why a table could not be removed
     * @return whether nothing is left
     */
    static boolean removeMark(List<String> standing, PolicyMark mark, Notices notices, Running running) {
        if (standing.isEmpty()) {
            running.up();
        } else {
            String words = "no policy is in force, but the table of earlier ones still refuses packets: "
                    + String.join("; ", standing);
            notices.warn(LIMITED, words);
            running.waiting(words);
        }
        try {
            mark.remove();
            return standing.isEmpty();
        } catch (IOException e) {
            notices.warn(
                    LIMITED,
                    "no policy is in force, but what is left of earlier ones keeps pods from starting without the"
                            + " agent: " + e.getMessage());
            return false;
        }
    }

    /**
     * Removes the tables of both families, if there are any. Returns the reasons for the tables that it could not
     * remove.
     */
    public static List<String> removeTables(KernelLinuxNet net) {
        try (NftTables nft = net.nftTables()) {
            return removeTables(nft);
        } catch (LinuxNetException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }

    static List<String> removeTables(NftTables nft) {
        List<String> standing = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            try {
                if (PolicyTables.remove(nft, family)) {
                    LOG.atInfo().addKeyValue("family", family).log("policy.table_removed");
                }
            } catch (LinuxNetException e) {
                standing.add(family + " " + e.getMessage());
            }
        }
        return standing;
    }
}
