package dev.nodepath.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.endpoints.source.Problems;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.SourceStats;
import dev.nodepath.endpoints.source.kubernetes.ApiServerAccess;
import dev.nodepath.endpoints.source.kubernetes.KubernetesSource;
import dev.nodepath.endpoints.source.kubernetes.SeenRequest;
import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import dev.nodepath.endpoints.source.kubernetes.UnreadFields;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.PolicyObjects.Guard;
import dev.nodepath.policy.PolicyObjects.Known;
import dev.nodepath.policy.object.LabelledNode;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicyPodConverter;
import dev.nodepath.policy.object.PolicySnapshot;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The times of requests to the server, and the knowledge at each time. */
class PolicyObjectsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final TestApiServer server = new TestApiServer();
    private final PolicyObjects objects = new PolicyObjects();
    private final KubernetesSource source;
    private final List<KubernetesSource> others = new ArrayList<>();

    PolicyObjectsTest() throws SourceException {
        source = source();
    }

    private KubernetesSource source() throws SourceException {
        return new KubernetesSource(
                ApiServerAccess.master(server.url()),
                "n1",
                KubernetesSource.Nodes.OWN,
                Optional.empty(),
                "",
                TestApiServer.FAST,
                new Random(1),
                InstantSource.system());
    }

    private void start(PolicyObjects follower) throws Exception {
        KubernetesSource another = source();
        others.add(another);
        follower.follow(another);
        another.start((snapshot, changed) -> {});
    }

    @BeforeEach
    void follow() {
        server.put("/api/v1/namespaces", "{\"metadata\":{\"name\":\"shop\"}}");
        putPod("web", "10.244.1.2");
        objects.follow(source);
    }

    @AfterEach
    void close() throws Exception {
        for (KubernetesSource other : others) {
            other.close();
        }
        source.close();
        server.close();
    }

    private void putPod(String name, String address) {
        server.put(TestApiServer.PODS, """
                {"metadata":{"namespace":"shop","name":"%s"},"spec":{"nodeName":"n1"},
                 "status":{"podIPs":[{"ip":"%s"}]}}""".formatted(name, address));
    }

    private void putPolicy() {
        server.put(TestApiServer.POLICIES, """
                {"metadata":{"namespace":"shop","name":"deny-all"},"spec":{"podSelector":{}}}""");
    }

    private static PolicyObjects.Update next(PolicyObjects each) throws InterruptedException {
        return each.take(PATIENCE).orElseThrow();
    }

    private PolicyObjects.Update startAndTake() throws Exception {
        source.start((snapshot, changed) -> {});
        return next(objects);
    }

    private void awaitNoPolicy() {
        Eventually.isTrue("no policy", () -> objects.known(Duration.ZERO) == Known.NONE);
    }

    /** A list leaves out fields that policies do not read. Here each such field has a value. */
    @Test
    void aListedPodIsAsTheWholeOne() throws Exception {
        String container = """
                {"name":"a","args":["hostNetwork"],"command":["ports"],"env":[{"name":"A","value":"1"}],
                 "envFrom":[{"prefix":"p"}],"lifecycle":{"preStop":{"httpGet":{"port":"http"}}},
                 "livenessProbe":{"httpGet":{"port":8081}},"readinessProbe":{"tcpSocket":{"port":8082}},
                 "startupProbe":{"grpc":{"port":8083}},"resources":{"limits":{"cpu":"1"}},
                 "securityContext":{"runAsUser":0},"volumeMounts":[{"name":"v","mountPath":"/v"}],
                 "restartPolicy":"Always","ports":[{"name":"%s","containerPort":%d,"protocol":"UDP"}]}""";
        String pod = """
                {"metadata":{"namespace":"shop","name":"full","uid":"u1","labels":{"app":"full","volumes":"2"},
                  "annotations":{"kubernetes.io/config.mirror":"u2"},
                  "managedFields":[{"manager":"x"}],"ownerReferences":[{"uid":"u3"}]},
                 "spec":{"nodeName":"n1","affinity":{"nodeAffinity":{}},"ephemeralContainers":[%1$s],
                  "securityContext":{"runAsUser":0},"tolerations":[{"key":"x"}],
                  "topologySpreadConstraints":[{"maxSkew":1}],"volumes":[{"name":"v"}],
                  "containers":[%1$s],"initContainers":[%2$s]},
                 "status":{"phase":"Running","podIP":"10.244.1.9","podIPs":[{"ip":"10.244.1.9"},{"ip":"fd00::9"}],
                  "conditions":[{"type":"Ready"}],"containerStatuses":[{"name":"a"}],
                  "ephemeralContainerStatuses":[{"name":"a"}],"initContainerStatuses":[{"name":"b"}]}}
                """.formatted(container.formatted("dns", 53), container.formatted("metrics", 9090));
        JsonNode whole = new JsonMapper().readTree(pod);
        assertHasAll(whole, PolicyPodConverter.UNREAD);
        server.put(TestApiServer.PODS, whole.toString());
        putPolicy();
        source.start((snapshot, changed) -> {});
        NamespacedName name = TestObjects.name("shop/full");
        assertThat(next(objects).snapshot().pods().get(name))
                .isEqualTo(new PolicyPodConverter()
                        .convert(name, Fields.of(whole, new Problems()))
                        .get(0))
                .satisfies(read -> assertThat(read.ports()).hasSize(2));
    }

    private static void assertHasAll(JsonNode object, UnreadFields fields) {
        JsonNode first = object.isArray() ? object.path(0) : object;
        assertThat(first.fieldNames()).toIterable().containsAll(fields.here());
        fields.below().forEach((name, below) -> assertHasAll(first.path(name), below));
    }

    private boolean isAskedFor(String path) {
        return server.requests().stream().map(SeenRequest::path).anyMatch(path::equals);
    }

    @Test
    void asksForPodsAndNamespacesWhenThereIsAPolicyAndNotBefore() throws Exception {
        assertThat(objects.known(Duration.ZERO)).isEqualTo(Known.NOTHING);
        source.start((snapshot, changed) -> {});
        awaitNoPolicy();
        assertThat(isAskedFor(TestApiServer.PODS)).isFalse();
        assertThat(isAskedFor("/api/v1/namespaces")).isFalse();

        putPolicy();
        assertThat(objects.known(PATIENCE)).isEqualTo(Known.SOME);
        PolicySnapshot first = next(objects).snapshot();
        assertThat(first.pods()).containsOnlyKeys(TestObjects.name("shop/web"));
        assertThat(first.namespaces()).containsKey("shop");
        assertThat(first.policies()).containsOnlyKeys(TestObjects.name("shop/deny-all"));

        server.delete(TestApiServer.POLICIES, "shop", "deny-all");
        awaitNoPolicy();
    }

    @Test
    void tellsChangesFromTheFirstSnapshotOnAlone() throws Exception {
        putPolicy();
        assertThat(startAndTake().changes()).isEqualTo(PolicyChanges.NONE);
        putPod("db", "10.244.1.3");
        assertThat(next(objects).changes())
                .isEqualTo(new PolicyChanges(Set.of(), Set.of(TestObjects.name("shop/db")), Set.of()));
    }

    private static final NamespacedName GUARD = new NamespacedName("", "guard");

    private void putClusterPolicy(String to) {
        server.put(TestApiServer.CLUSTER_POLICIES, """
                {"metadata":{"name":"guard"},"spec":{"tier":"Admin","priority":1,"subject":{"namespaces":{}},
                 "egress":[{"action":"Deny","to":[{"%s":{}}]}]}}""".formatted(to));
    }

    private SourceStats.Watch clusterPolicies() {
        return source.stats().watches().stream()
                .filter(watch -> watch.kind().equals("ClusterNetworkPolicy"))
                .findFirst()
                .orElseThrow();
    }

    private PolicySnapshot taken() throws InterruptedException {
        return objects.take(Duration.ofMillis(100))
                .map(PolicyObjects.Update::snapshot)
                .orElse(PolicySnapshot.EMPTY);
    }

    @Test
    void aServerWithoutClusterPoliciesIsInOrder() throws Exception {
        putPolicy();
        startAndTake();
        assertThat(clusterPolicies().errors()).isEmpty();
        assertThat(isAskedFor(TestApiServer.CLUSTER_POLICIES)).isTrue();
        server.delete(TestApiServer.POLICIES, "shop", "deny-all");
        awaitNoPolicy();
    }

    @Test
    void followsClusterPoliciesFromTheirDefinitionOn() throws Exception {
        source.start((snapshot, changed) -> {});
        awaitNoPolicy();
        server.defineClusterPolicies();
        putClusterPolicy("namespaces");
        assertThat(objects.known(PATIENCE)).isEqualTo(Known.SOME);
        assertThat(next(objects).snapshot().clusterPolicies()).containsOnlyKeys(GUARD);

        server.delete(TestApiServer.CLUSTER_POLICIES, "", "guard");
        assertThat(next(objects).changes())
                .isEqualTo(new PolicyChanges(Set.of(), Set.of(), Set.of(), Set.of(GUARD), Set.of()));
        awaitNoPolicy();
    }

    @Test
    void theDefinitionMayGo() throws Exception {
        server.defineClusterPolicies();
        putClusterPolicy("namespaces");
        source.start((snapshot, changed) -> {});
        Eventually.isTrue("there", () -> !taken().clusterPolicies().isEmpty());
        server.delete(TestApiServer.DEFINITIONS, "", "clusternetworkpolicies.policy.networking.k8s.io");
        server.endWatches();
        awaitNoPolicy();
    }

    @Test
    void asksForNodesWhenARuleNamesThem() throws Exception {
        server.put(TestApiServer.NODES, """
                {"metadata":{"name":"n2","labels":{"a":"b"}},"status":{"addresses":[
                 {"type":"InternalIP","address":"192.0.2.2"},{"type":"Hostname","address":"n2"}]}}""");
        server.defineClusterPolicies();
        putClusterPolicy("namespaces");
        assertThat(startAndTake().snapshot().nodes()).isEmpty();
        putClusterPolicy("nodes");
        NamespacedName n2 = new NamespacedName("", "n2");
        Eventually.isTrue("n2", () -> taken().nodes().containsKey(n2));
        assertThat(taken().nodes().get(n2))
                .isEqualTo(new LabelledNode(Map.of("a", "b"), List.of(IpAddress.parse("192.0.2.2"))));
    }

    /** A ClusterRole of before does not have the kind; a server may fail to convert it. */
    @ParameterizedTest
    @ValueSource(ints = {403, 500, 503})
    void goesOnWithoutClusterPoliciesThatItDoesNotGet(int code) throws Exception {
        PolicyObjects impatient = new PolicyObjects(Duration.ofMillis(1), System::nanoTime);
        server.defineClusterPolicies();
        server.fail(TestApiServer.CLUSTER_POLICIES, false, 10_000, code, "", "");
        putPolicy();
        start(impatient);
        assertThat(next(impatient).snapshot().policies()).hasSize(1);
        assertThat(impatient.missing()).containsExactly("ClusterNetworkPolicies");
    }

    @Test
    void saysWhichRightIsMissing() throws Exception {
        server.defineClusterPolicies();
        server.fail(TestApiServer.CLUSTER_POLICIES, false, 10_000, 403, "", "");
        source.start((snapshot, changed) -> {});
        Eventually.isTrue("forbidden", () -> clusterPolicies().forbidden().isPresent());
        assertThat(clusterPolicies().forbidden().orElseThrow())
                .contains("clusternetworkpolicies", "policy.networking.k8s.io");
    }

    /** A server that has just started may not know our rights yet. The rules in force must stay. */
    @ParameterizedTest
    @ValueSource(ints = {403, 503})
    void awaitsClusterPoliciesThatItDoesNotGetAtFirst(int code) throws Exception {
        PolicyObjects patient = new PolicyObjects(PATIENCE, System::nanoTime);
        server.defineClusterPolicies();
        putClusterPolicy("namespaces");
        putPolicy();
        server.fail(TestApiServer.CLUSTER_POLICIES, false, 3, code, "", "");
        start(patient);
        assertThat(next(patient).snapshot().clusterPolicies()).containsOnlyKeys(GUARD);
        assertThat(patient.missing()).isEmpty();
    }

    @Test
    void awaitsClusterPoliciesThatAreInForceFromBefore() throws Exception {
        PolicyObjects impatient = new PolicyObjects(Duration.ofMillis(1), System::nanoTime);
        impatient.keepClusterPolicies();
        server.defineClusterPolicies();
        server.fail(TestApiServer.CLUSTER_POLICIES, false, 10_000, 403, "", "");
        start(impatient);
        Eventually.isTrue("asked", () -> isAskedFor(TestApiServer.CLUSTER_POLICIES));
        assertThat(impatient.known(Duration.ofMillis(200))).isEqualTo(Known.NOTHING);
        assertThat(impatient.missing()).isEmpty();
    }

    @Test
    void goesOnWithoutNodesThatItDoesNotGet() throws Exception {
        PolicyObjects impatient = new PolicyObjects(Duration.ofMillis(1), System::nanoTime);
        server.defineClusterPolicies();
        putClusterPolicy("nodes");
        start(impatient);
        server.fail(TestApiServer.NODES, false, 10_000, 403, "", "");
        assertThat(next(impatient).snapshot().clusterPolicies()).hasSize(1);
        assertThat(impatient.missing()).containsExactly("Nodes");
        server.delete(TestApiServer.CLUSTER_POLICIES, "", "guard");
        Eventually.isTrue("none named", () -> impatient.missing().isEmpty());
    }

    private static final NamespacedName NEW = TestObjects.name("shop/new");
    private static final List<IpAddress> GIVEN = List.of(IpAddress.parse("10.244.1.9"));

    private void putNew(String uid, String status) {
        server.put(TestApiServer.PODS, """
                {"metadata":{"namespace":"shop","name":"new","uid":"%s"},"spec":{"nodeName":"n1"},"status":%s}""".formatted(uid, status));
    }

    private Guard guard(String uid, Duration limit) throws InterruptedException {
        objects.give(NEW, uid, GIVEN);
        return objects.guard(NEW, uid, GIVEN, limit);
    }

    private Guard guardAtOnce() throws InterruptedException {
        return objects.guard(NEW, "u1", GIVEN, Duration.ZERO);
    }

    /** Takes as the part does, until a snapshot has the pod with these addresses. */
    private void enforceUntil(List<IpAddress> addresses) {
        Eventually.isTrue(() -> "new has " + addresses, () -> {
            PolicySnapshot snapshot =
                    objects.take(Duration.ofMillis(100)).orElseThrow().snapshot();
            objects.enforced(Optional.of(snapshot));
            PolicyPod pod = snapshot.pods().get(NEW);
            return pod != null && pod.addresses().equals(addresses);
        });
    }

    @Test
    void nobodyWaitsWhereThereIsNoPolicy() throws Exception {
        source.start((snapshot, changed) -> {});
        assertThat(guard("u1", PATIENCE)).isEqualTo(Guard.STANDS);
    }

    @Test
    void aNewPodWaitsUntilItsPoliciesAreInForce() throws Exception {
        putPolicy();
        startAndTake();

        FutureTask<Guard> waiting = new FutureTask<>(() -> guard("u1", PATIENCE));
        new Thread(waiting).start();
        putNew("u1", "{}");
        enforceUntil(GIVEN);
        assertThat(waiting.get(5, TimeUnit.MINUTES)).isEqualTo(Guard.STANDS);
        putNew("u1", "{\"podIPs\":[{\"ip\":\"10.244.1.9\"},{\"ip\":\"fd00::9\"}]}");
        enforceUntil(List.of(GIVEN.get(0), IpAddress.parse("fd00::9")));
        putNew("u1", "{\"podIPs\":[{\"ip\":\"10.244.1.8\"}]}");
        enforceUntil(List.of(IpAddress.parse("10.244.1.8")));
    }

    @Test
    void aPodIsIsolatedFromWhenItsAddressesAreGivenAndUntilTheyAreTakenBack() throws Exception {
        putPolicy();
        putNew("u1", "{}");
        startAndTake();
        objects.give(NEW, "u1", GIVEN);
        enforceUntil(GIVEN);
        assertThat(guardAtOnce()).isEqualTo(Guard.STANDS);
        objects.withdraw(NEW, GIVEN);
        enforceUntil(List.of());
        assertThat(guardAtOnce()).isEqualTo(Guard.POD_UNKNOWN);
    }

    /** As after a DEL: the Pod may live on without a status. */
    @Test
    void addressesThatNobodyHasAnyMoreAreTakenFromWhoeverGotThem() throws Exception {
        putPolicy();
        putNew("u1", "{}");
        startAndTake();
        objects.give(NEW, "u1", GIVEN);
        enforceUntil(GIVEN);
        objects.withdraw(Set.of(IpAddress.parse("10.244.1.8")));
        enforceUntil(GIVEN);
        objects.withdraw(Set.of(GIVEN.get(0), IpAddress.parse("fd00::9")));
        enforceUntil(List.of());
    }

    /**
     * The API still shows these addresses at an ended pod. The policies of that pod must not apply to the new one.
     */
    @Test
    void whatAPodIsGivenNoOtherPodHas() throws Exception {
        NamespacedName old = TestObjects.name("shop/old");
        putPod("old", "10.244.1.9");
        putPolicy();
        putNew("u1", "{}");
        startAndTake();
        objects.give(NEW, "u1", GIVEN);
        PolicyObjects.Update given = next(objects);
        assertThat(addresses(given.snapshot(), NEW)).isEqualTo(GIVEN);
        assertThat(addresses(given.snapshot(), old)).isEmpty();
        assertThat(given.changes().pods()).containsExactlyInAnyOrder(NEW, old);

        // Even when its status has them, and that of the other pod changes.
        putNew("u1", "{\"podIPs\":[{\"ip\":\"10.244.1.9\"},{\"ip\":\"fd00::9\"}]}");
        server.put(TestApiServer.PODS, """
                {"metadata":{"namespace":"shop","name":"old","labels":{"a":"b"}},"spec":{"nodeName":"n1"},
                 "status":{"podIPs":[{"ip":"10.244.1.9"}]}}""");
        Eventually.isTrue("the label is there", () -> {
            PolicyPod pod = Objects.requireNonNull(taken().pods().get(old));
            assertThat(pod.addresses()).isEmpty();
            return !pod.labels().isEmpty();
        });

        // No pod has them any more, so the API may be right about the old one.
        objects.withdraw(Set.copyOf(GIVEN));
        PolicyObjects.Update withdrawn = next(objects);
        assertThat(addresses(withdrawn.snapshot(), old)).hasSize(1);
        assertThat(withdrawn.changes().pods()).contains(old);
    }

    /** The API shows the pod only after the address was given to another one. */
    @Test
    void whatAPodIsGivenNoPodHasThatComesLater() throws Exception {
        NamespacedName late = TestObjects.name("shop/late");
        putPolicy();
        putNew("u1", "{}");
        startAndTake();
        objects.give(NEW, "u1", GIVEN);
        enforceUntil(GIVEN);
        putPod("late", "10.244.1.9");
        Eventually.isTrue("late is there", () -> taken().pods().containsKey(late));
        assertThat(addresses(taken(), late)).isEmpty();
        assertThat(addresses(taken(), NEW)).isEqualTo(GIVEN);

        // Even after the status of the new pod has shown it.
        putNew("u1", "{\"podIPs\":[{\"ip\":\"10.244.1.9\"}]}");
        server.put(TestApiServer.PODS, """
                {"metadata":{"namespace":"shop","name":"later","labels":{"a":"b"}},"spec":{"nodeName":"n1"},
                 "status":{"podIPs":[{"ip":"10.244.1.9"}]}}""");
        NamespacedName later = TestObjects.name("shop/later");
        Eventually.isTrue("later is there", () -> taken().pods().containsKey(later));
        assertThat(addresses(taken(), later)).isEmpty();

        // No pod can have them after the new one's Pod is gone.
        server.delete(TestApiServer.PODS, "shop", "new");
        Eventually.isTrue("new is gone", () -> !taken().pods().containsKey(NEW));
        assertThat(addresses(taken(), late)).isEqualTo(GIVEN);
    }

    /** A pod of another node has an address that a pod had which has ended there. */
    @Test
    void thePodThatShowsAnAddressLastHasIt() throws Exception {
        NamespacedName a = TestObjects.name("shop/a");
        NamespacedName b = TestObjects.name("shop/b");
        NamespacedName c = TestObjects.name("shop/c");
        putPod("a", "10.244.2.9");
        putPod("b", "10.244.2.9");
        putPolicy();
        PolicySnapshot first = startAndTake().snapshot();
        assertThat(addresses(first, a)).hasSize(1);
        assertThat(addresses(first, b)).isEmpty();

        putPod("c", "10.244.2.9");
        PolicyObjects.Update third = next(objects);
        assertThat(addresses(third.snapshot(), a)).isEmpty();
        assertThat(addresses(third.snapshot(), c)).hasSize(1);
        assertThat(third.changes().pods()).containsExactlyInAnyOrder(a, c);

        server.delete(TestApiServer.PODS, "shop", "b");
        assertThat(next(objects).changes().pods()).containsExactly(b);
        server.delete(TestApiServer.PODS, "shop", "c");
        PolicyObjects.Update last = next(objects);
        assertThat(addresses(last.snapshot(), a)).hasSize(1);
        assertThat(last.changes().pods()).containsExactlyInAnyOrder(a, c);
    }

    @Test
    void aPodThatGivesUpAnAddressTakesItFromNoOtherOne() throws Exception {
        putPod("old", "10.244.1.9");
        putPolicy();
        putNew("u1", "{}");
        startAndTake();
        NamespacedName failed = TestObjects.name("shop/failed");
        objects.give(failed, "u2", GIVEN);
        objects.give(NEW, "u1", GIVEN);
        objects.withdraw(failed, GIVEN);
        enforceUntil(GIVEN);
        assertThat(addresses(taken(), TestObjects.name("shop/old"))).isEmpty();
    }

    private static List<IpAddress> addresses(PolicySnapshot snapshot, NamespacedName pod) {
        return Objects.requireNonNull(snapshot.pods().get(pod)).addresses();
    }

    @Test
    void aPodWhosePartTheKernelHasRefusedIsNotGuarded() throws Exception {
        putPolicy();
        putNew("u1", "{}");
        startAndTake();
        objects.give(NEW, "u1", GIVEN);
        enforceUntil(GIVEN);
        objects.enforced(objects.inForce(), Set.of(NEW));
        assertThat(guardAtOnce()).isEqualTo(Guard.POD_UNKNOWN);
        objects.enforced(objects.inForce(), Set.of());
        assertThat(guardAtOnce()).isEqualTo(Guard.STANDS);
    }

    /** Policies of the cluster select by labels of Namespaces, whose watch may be behind that of Pods. */
    @Test
    void aPodWhoseNamespaceIsNotKnownIsGuardedByNoPolicyOfTheCluster() throws Exception {
        server.defineClusterPolicies();
        server.delete("/api/v1/namespaces", "", "shop");
        putClusterPolicy("namespaces");
        putNew("u1", "{}");
        startAndTake();
        objects.give(NEW, "u1", GIVEN);
        enforceUntil(GIVEN);
        assertThat(guardAtOnce()).isEqualTo(Guard.POD_UNKNOWN);
        server.put("/api/v1/namespaces", "{\"metadata\":{\"name\":\"shop\"}}");
        Eventually.isTrue("shop is there", () -> {
            enforceUntil(GIVEN);
            return guardAtOnce() == Guard.STANDS;
        });
    }

    @Test
    void aPolicyThatComesAfterAPodFindsItsAddresses() throws Exception {
        source.start((snapshot, changed) -> {});
        awaitNoPolicy();
        assertThat(guard("u1", Duration.ZERO)).isEqualTo(Guard.STANDS);
        putNew("u1", "{}");
        putPolicy();
        assertThat(objects.take(PATIENCE)).isPresent();
        enforceUntil(GIVEN);
    }

    @Test
    void aPodOfTheSameNameBeforeIsNoneToRelyOn() throws Exception {
        putPolicy();
        putNew("u0", "{\"podIPs\":[{\"ip\":\"10.244.1.9\"}]}");
        startAndTake();
        enforceUntil(GIVEN);
        assertThat(guard("u1", Duration.ofMillis(1))).isEqualTo(Guard.POD_UNKNOWN);
        assertThat(guard("u0", PATIENCE)).isEqualTo(Guard.STANDS);
    }

    @Test
    void addressesOfAPodThatIsGoneAreForgotten() throws Exception {
        putPolicy();
        putNew("u1", "{}");
        startAndTake();
        FutureTask<Guard> waiting = new FutureTask<>(() -> guard("u1", PATIENCE));
        new Thread(waiting).start();
        enforceUntil(GIVEN);
        server.delete(TestApiServer.PODS, "shop", "new");
        Eventually.isTrue(
                "gone",
                () -> !objects.take(Duration.ofMillis(100))
                        .orElseThrow()
                        .snapshot()
                        .pods()
                        .containsKey(NEW));
        putNew("u1", "{}");
        enforceUntil(List.of());
    }

    /** As after a restart of the node, when a module of the kernel comes late. */
    @Test
    void theFirstFailedSyncLetsNoWaitingPodGoAtOnce() throws Exception {
        AtomicLong now = new AtomicLong();
        LongSupplier secondForEachLook =
                () -> now.addAndGet(Duration.ofSeconds(1).toNanos());
        PolicyObjects late = new PolicyObjects(PATIENCE, secondForEachLook);
        Duration limit = Duration.ofSeconds(5);
        assertThat(late.guard(NEW, "u1", GIVEN, limit)).isEqualTo(Guard.NOTHING_TRIED);

        late.enforced(Optional.empty());
        long failed = now.get();
        assertThat(late.guard(NEW, "u1", GIVEN, limit)).isEqualTo(Guard.NOTHING_ENFORCED);
        assertThat(now.get() - failed).isGreaterThanOrEqualTo(limit.toNanos());

        late.enforced(Optional.empty());
        failed = now.get();
        assertThat(late.guard(NEW, "u1", GIVEN, limit)).isEqualTo(Guard.NOTHING_ENFORCED);
        assertThat(now.get() - failed).as("a later one").isLessThan(limit.toNanos());
    }

    @Test
    void whatWasLetGoUnguardedIsGuardedAtTheFirstSync() throws Exception {
        putPolicy();
        startAndTake();
        assertThat(guard("u1", Duration.ZERO)).isEqualTo(Guard.NOTHING_TRIED);
        objects.enforced(Optional.empty());
        assertThat(guard("u1", Duration.ZERO)).isEqualTo(Guard.NOTHING_ENFORCED);
        putNew("u1", "{}");
        enforceUntil(GIVEN);
    }

    @Test
    void whatAnEarlierProcessWasToldCountsUntilTheStatusHasAddresses() throws Exception {
        NamespacedName ended = TestObjects.name("shop/ended");
        putPod("ended", "10.244.1.9");
        putPolicy();
        putNew("u1", "{}");
        PolicySnapshot first = startAndTake().snapshot();
        objects.restore(Map.of(first.pods().get(NEW), GIVEN));
        enforceUntil(GIVEN);
        assertThat(addresses(taken(), ended)).isEmpty();
        putNew("u1", "{\"podIPs\":[{\"ip\":\"10.244.1.8\"}]}");
        enforceUntil(List.of(IpAddress.parse("10.244.1.8")));
        assertThat(addresses(taken(), ended)).isEqualTo(GIVEN);
    }

    @Test
    void whatThisProcessHasGivenNoEarlierOneHas() throws Exception {
        NamespacedName again = TestObjects.name("shop/again");
        putPolicy();
        putNew("u1", "{}");
        server.put(TestApiServer.PODS, """
                {"metadata":{"namespace":"shop","name":"again","uid":"u2"},"spec":{"nodeName":"n1"},"status":{}}""");
        PolicySnapshot first = startAndTake().snapshot();
        objects.give(NEW, "u1", GIVEN);
        objects.restore(Map.of(first.pods().get(again), GIVEN));
        enforceUntil(GIVEN);
        assertThat(addresses(taken(), again)).isEmpty();
    }

    /** A runtime names the kubelet's UID of a static pod. */
    @Test
    void aStaticPodIsKnownByItsMirror() throws Exception {
        putPolicy();
        server.put(TestApiServer.PODS, """
                {"metadata":{"namespace":"shop","name":"new","uid":"of the mirror",
                  "annotations":{"kubernetes.io/config.mirror":"of the kubelet"}},
                 "spec":{"nodeName":"n1"},"status":{"podIPs":[{"ip":"10.244.1.9"}]}}""");
        startAndTake();
        enforceUntil(GIVEN);
        assertThat(guard("of the kubelet", PATIENCE)).isEqualTo(Guard.STANDS);
    }
}
