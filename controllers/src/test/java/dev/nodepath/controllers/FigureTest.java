package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.linux.Repetitions;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Times and processor times that users wait for; printed, and far below the noticeable. */
class FigureTest {
    private static final int SERVICES = Repetitions.of(500, 2000);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final TestCluster cluster = new TestCluster("n1", "n2");

    @Test
    void twoHundredPodsAreCreatedPlacedAndListedInASecond() {
        try (cluster) {
            cluster.create(
                    Resources.SERVICES,
                    TestObjects.service("web", "{'selector': {'app': 'web'}, 'ports': [{'port': 80}]}"));
            cluster.settle();
            double first = cpuMillis("200 Pods, cold", () -> {
                cluster.create(
                        Resources.DEPLOYMENTS, TestObjects.workload(Resources.DEPLOYMENTS, "web", 200, "v1", "{}"));
                cluster.settle();
            });
            assertThat(endpoints()).isEqualTo(200);
            assertThat(first).isLessThan(5000);
            cpuMillis("scale 200 to 50", () -> scale(50));
            assertThat(endpoints()).isEqualTo(50);
            cpuMillis("scale 50 to 100", () -> scale(100));
            assertThat(endpoints()).isEqualTo(100);
            scale(200);
            ObjectKey pod = ObjectKey.of(cluster.list(Resources.PODS).get(7));
            untilListed(pod, 100);
            double change = untilListed(pod, 50);
            System.out.printf(
                    Locale.ROOT, "readiness of one of 200 Pods until listed: %.2f ms of processor time%n", change);
            assertThat(change).isLessThan(10);
        }
    }

    @Test
    void aThousandPodsArePlacedOnTenNodes() {
        try (TestCluster ten = new TestCluster("n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10")) {
            double cpu = cpuMillis("1000 Pods on 10 Nodes", () -> {
                ten.create(Resources.DEPLOYMENTS, TestObjects.workload(Resources.DEPLOYMENTS, "web", 1000, "v1", "{}"));
                ten.control();
            });
            assertThat(ten.list(Resources.PODS))
                    .hasSize(1000)
                    .noneMatch(pod -> PodState.node(pod).isEmpty());
            assertThat(cpu).isLessThan(20_000);
        }
    }

    @Test
    void manyServicesAreListed() {
        try (cluster) {
            for (int i = 0; i < 100; i++) {
                cluster.create(Resources.PODS, TestObjects.pod("p" + i, "{}"));
            }
            cluster.settle();
            double cpu = cpuMillis(SERVICES + " Services over 100 Pods", () -> {
                for (int i = 0; i < SERVICES; i++) {
                    cluster.create(Resources.SERVICES, TestObjects.service("s" + i, "{'ports': [{'port': 80}]}"));
                }
                cluster.settle();
            });
            assertThat(cluster.list(Resources.ENDPOINT_SLICES)).hasSize(SERVICES);
            assertThat(cpu).isLessThan(30.0 * SERVICES);
        }
    }

    /** Mean processor time from a Pod's change to the change of its slice, in ms. */
    private double untilListed(ObjectKey pod, int changes) {
        AtomicLong written = new AtomicLong();
        try (Subscription listener = cluster.api()
                .subscribe(Resources.ENDPOINT_SLICES, event -> written.set(THREADS.getCurrentThreadCpuTime()))) {
            assertThat(listener).isNotNull();
            long total = 0;
            for (int i = 0; i < changes; i++) {
                cluster.kubelet().setReady(pod, i % 2 == 0);
                long start = THREADS.getCurrentThreadCpuTime();
                cluster.control();
                total += written.get() - start;
            }
            return total / 1e6 / changes;
        }
    }

    private void scale(int replicas) {
        cluster.change(
                Resources.DEPLOYMENTS,
                "web",
                web -> web.withObjectProperty("spec").put("replicas", replicas));
        cluster.settle();
    }

    private int endpoints() {
        List<ObjectNode> slices = cluster.list(Resources.ENDPOINT_SLICES);
        assertThat(slices).allMatch(slice -> !Meta.isTerminating(slice));
        return slices.stream().mapToInt(slice -> slice.path("endpoints").size()).sum();
    }

    private static double cpuMillis(String what, Runnable work) {
        long cpu = THREADS.getCurrentThreadCpuTime();
        long start = System.nanoTime();
        work.run();
        double cpuMillis = (THREADS.getCurrentThreadCpuTime() - cpu) / 1e6;
        double millis = (System.nanoTime() - start) / 1e6;
        System.out.printf(Locale.ROOT, "%s: %.1f ms, %.1f ms of processor time%n", what, millis, cpuMillis);
        return cpuMillis;
    }
}
