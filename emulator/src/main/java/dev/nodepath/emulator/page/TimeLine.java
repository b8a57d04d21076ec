package dev.nodepath.emulator.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.PodView;
import dev.nodepath.emulator.cluster.ProxySync;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.page.LivePage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Tells the page the chain of effects: a Pod changes, an EndpointSlice changes, a proxy syncs, and rules come and go.
 * Each step has its own time.
 */
final class TimeLine implements AutoCloseable {
    /** The most characters of a field's value; the rest is cut off. */
    private static final int TEXT_MAX = 120;
    /** After its first sync a proxy removes the rules of other modes within this time. */
    private static final Duration CLEANED_UP = Duration.ofSeconds(2);

    private final Cluster cluster;
    private final LivePage page;
    private final RuleDifference rules;
    private final List<Subscription> subscriptions = new ArrayList<>();
    private final Map<String, String> whenAgentEnds = new ConcurrentHashMap<>();
    private final ExecutorService reading = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "page-rules");
        thread.setDaemon(true);
        return thread;
    });

    TimeLine(Cluster cluster, KernelLinuxNet net, LivePage page) {
        this.cluster = cluster;
        this.page = page;
        this.rules = new RuleDifference(net);
    }

    /** Begins to follow the cluster. */
    void follow() {
        cluster.topology()
                .nodes()
                .forEach(node -> reading.execute(
                        () -> rules.take(node.name(), cluster.agents().mode(node.name()))));
        subscriptions.add(
                cluster.api().subscribe(Resources.PODS, cluster.api().store().version(), this::pod));
        subscriptions.add(cluster.api()
                .subscribe(Resources.ENDPOINT_SLICES, cluster.api().store().version(), this::slice));
        subscriptions.add(cluster.api()
                .subscribe(Resources.SERVICES, cluster.api().store().version(), this::service));
        subscriptions.add(
                cluster.api().subscribe(Resources.NODES, cluster.api().store().version(), this::node));
        cluster.agents().onSync(this::synced);
        cluster.onPower(node -> reading.execute(() -> rules.forget(node)));
        cluster.agents().onEnd(this::agentEnded);
    }

    private void agentEnded(String node) {
        tell("agent", node, "the agent has ended");
        Optional.ofNullable(whenAgentEnds.remove(node)).ifPresent(note -> tell("note", node, note));
    }

    /** Tells the page what a node still does after its agent's end. */
    void tellWhenAgentEnds(String node, String note) {
        whenAgentEnds.put(node, note);
    }

    /**
     * Tells one step.
     *
     * @param layer {@code pod}, {@code service}, {@code slice}, {@code agent}, {@code compare} or {@code note}
     */
    void tell(String layer, String where, String what) {
        page.tell("step", step(layer, where, what));
    }

    /** Tells what the reader of the page does, with the values of the act's words. */
    void tellAct(Act act, String where, Object... values) {
        page.tell("step", step("you", where, act.told(values)).put("act", act.toString()));
    }

    /** Tells that a pod or a node has become ready, or is so no longer. */
    private void tellReady(String layer, String where, boolean ready, String what) {
        page.tell("step", step(layer, where, what).put("ready", ready));
    }

    private static ObjectNode step(String layer, String where, String what) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("layer", layer)
                .put("where", where)
                .put("what", what);
    }

    private void pod(ChangeEvent change) {
        PodView now = PodView.of(change.object());
        Optional<PodView> before = change.before().map(PodView::of);
        String name = PodView.shown(now.key());
        if (change.type() == ChangeEvent.Type.DELETED) {
            tell("pod", name, "is gone");
        } else if (before.isEmpty()) {
            tell("pod", name, "is created");
        } else if (before.get().ready() != now.ready()) {
            tellReady("pod", name, now.ready(), now.ready() ? "is ready" : "is not ready");
        } else if (ends(change.object()) && !ends(change.before().get())) {
            tell("pod", name, "ends");
        }
    }

    private void service(ChangeEvent change) {
        String name = "Service " + ObjectKey.of(change.object()).name();
        if (change.type() == ChangeEvent.Type.DELETED) {
            tell("service", name, "is gone");
        } else if (change.before().isEmpty()) {
            tell("service", name, "is created");
        } else {
            JsonNode before = change.before().get().path("spec");
            change.object().path("spec").properties().forEach(field -> {
                if (!field.getValue().equals(before.path(field.getKey()))) {
                    tell("service", name, field.getKey() + ": " + text(field.getValue()));
                }
            });
        }
    }

    private static String text(JsonNode value) {
        String text = value.isValueNode() ? value.asText() : value.toString().replace("\"", "");
        return text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX) + "\u2026" : text;
    }

    private void node(ChangeEvent change) {
        String ready = ready(change.object());
        if (change.before().isPresent() && !ready.equals(ready(change.before().get()))) {
            String name = ObjectKey.of(change.object()).name();
            tellReady("node", name, ConditionList.isTrue(change.object(), "Ready"), ready);
        }
    }

    private static String ready(ObjectNode node) {
        return ConditionList.find(node, "Ready")
                .map(condition -> condition.path("status").asText().equals("True")
                        ? "is ready"
                        : "is not ready: " + condition.path("message").asText())
                .orElse("is not ready");
    }

    private static boolean ends(ObjectNode object) {
        return object.path("metadata").has("deletionTimestamp");
    }

    private void slice(ChangeEvent change) {
        String service = change.object()
                .path("metadata")
                .path("labels")
                .path("kubernetes.io/service-name")
                .asText();
        long ready = 0;
        long all = 0;
        for (JsonNode endpoint : change.object().path("endpoints")) {
            all++;
            ready += endpoint.path("conditions").path("ready").asBoolean(true) ? 1 : 0;
        }
        tell("slice", service, "EndpointSlice: " + ready + " of " + all + " ready");
    }

    private void synced(String node) {
        Optional<ProxySync> sync = cluster.agents().lastSync(node);
        if (sync.isEmpty()) {
            return;
        }
        sync.get()
                .offered()
                .filter(at -> sync.get().changed() > 0)
                .ifPresent(at -> page.tell(
                        "step",
                        step("snapshot", node, "the watcher has a new snapshot").put("at", at.toEpochMilli())));
        page.tell("step", stepOf(node, sync.get()));
        if (!reading.isShutdown()) {
            reading.execute(() -> tellRules(node));
        }
    }

    /** The step of a sync. Only a sync that brought its rules into force is a step of the rules. */
    static ObjectNode stepOf(String node, ProxySync sync) {
        ObjectNode step = sync.ok()
                ? step(
                        "rules",
                        node,
                        "synced " + count(sync.changed(), "Service port") + " in " + sync.durationMs() + " ms")
                : step("agent", node, "the sync failed");
        return step.put("at", sync.at().toEpochMilli());
    }

    /**
     * Tells the rules that have come and gone since a sync: a proxy cleans up after another mode once it has synced.
     * Otherwise they would seem to be an effect of the next action.
     */
    void tellRest() {
        if (!reading.isShutdown()) {
            CompletableFuture.runAsync(this::tellAllRules, reading).join();
        }
    }

    /** Tells the rest once a proxy has had time for it. */
    void tellRestSoon() {
        CompletableFuture.delayedExecutor(CLEANED_UP.toSeconds(), TimeUnit.SECONDS, reading)
                .execute(this::tellAllRules);
    }

    private void tellAllRules() {
        cluster.topology().nodes().forEach(node -> tellRules(node.name()));
    }

    private static String count(int number, String one) {
        return number + " " + one + (number == 1 ? "" : "s");
    }

    private void tellRules(String node) {
        RuleDifference.Lines lines = rules.take(node, cluster.agents().mode(node));
        if (!lines.added().isEmpty() || !lines.removed().isEmpty()) {
            ObjectNode step = step(
                    "diff",
                    node,
                    count(lines.added().size(), "rule") + " more, "
                            + lines.removed().size() + " less");
            lines.added().forEach(step.putArray("added")::add);
            lines.removed().forEach(step.putArray("removed")::add);
            page.tell("step", step);
        }
    }

    @Override
    public void close() {
        subscriptions.forEach(Subscription::close);
        reading.shutdownNow();
    }
}
