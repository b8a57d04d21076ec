package dev.nodepath.cni.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(900)
class BatchedRemovalTest {
    private final FakeLinuxNet net = new FakeLinuxNet();
    private final BatchedRemoval removal = new BatchedRemoval(watchedNet());
    private final List<String> deletions = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch firstDeletes = new CountDownLatch(1);
    private final CountDownLatch firstMayGoOn = new CountDownLatch(1);
    private final CountDownLatch kernelMayEnd = new CountDownLatch(1);

    @Test
    void deletesTogetherWhatComesWhileOneIsDeleted() throws Exception {
        assertThat(removeFourOfFive()).containsOnly("gone");
        assertThat(deletions).hasSize(2);
        assertThat(deletions.get(0)).startsWith("deleteLink ");
        assertThat(deletions.get(1)).startsWith("deleteLinks 3");
        try (NetworkNamespace host = net.current()) {
            assertThat(host.links()).extracting(Link::name).containsExactly("lo", "v4");
        }
    }

    @Test
    void deletesEachByItselfIfTheyCannotBeDeletedTogether() throws Exception {
        net.failNext("deleteLinks", Errno.EBUSY);
        assertThat(removeFourOfFive()).containsOnly("gone");
        try (NetworkNamespace host = net.current()) {
            assertThat(host.links()).extracting(Link::name).containsExactly("lo", "v4");
        }
    }

    @Test
    void passesOverWhatIsGoneAndTellsWhatTheKernelRefuses() throws Exception {
        firstMayGoOn.countDown();
        kernelMayEnd.countDown();
        try (NetworkNamespace host = net.current()) {
            removal.remove(host, 4711);
            int lo = host.link("lo").orElseThrow().index();
            assertThat(removeInThread(host, lo).get(5, TimeUnit.MINUTES)).contains("EOPNOTSUPP");
        }
    }

    @Test
    void returnsWhenTheLinkIsGoneAndDoesNotWaitForTheKernelsEnd() throws Exception {
        firstMayGoOn.countDown();
        try (NetworkNamespace host = net.current();
                NetworkNamespace pod = net.create("pod")) {
            host.createVeth(new VethSpec("v0", Optional.empty(), "p0", pod, Optional.empty()));
            int index = host.link("v0").orElseThrow().index();
            assertThat(removeInThread(host, index).get(5, TimeUnit.MINUTES)).isEqualTo("gone");
            assertThat(host.link("v0")).isEmpty();
            assertThat(net.openHandles()).isEqualTo(3);
        }
        kernelMayEnd.countDown();
        Eventually.isTrue("every handle is closed", () -> net.openHandles() == 0);
    }

    @Test
    void waitsForOneOfTooManyDeletionsThatHaveNotEnded() throws Exception {
        firstMayGoOn.countDown();
        try (NetworkNamespace host = net.current();
                NetworkNamespace pod = net.create("pod")) {
            List<FutureTask<String>> removals = new ArrayList<>();
            for (int i = 0; i <= LinkDeletion.UNFINISHED_MAX; i++) {
                host.createVeth(new VethSpec("v" + i, Optional.empty(), "p" + i, pod, Optional.empty()));
                removals.add(
                        removeInThread(host, host.link("v" + i).orElseThrow().index()));
                if (i < LinkDeletion.UNFINISHED_MAX) {
                    assertThat(removals.get(i).get(5, TimeUnit.MINUTES)).isEqualTo("gone");
                }
            }
            Eventually.isTrue("one waits", () -> waiting("Semaphore") == 1);
            assertThat(host.links()).hasSize(2);
            kernelMayEnd.countDown();
            assertThat(removals.get(LinkDeletion.UNFINISHED_MAX).get(5, TimeUnit.MINUTES))
                    .isEqualTo("gone");
        }
    }

    /** The first is being deleted while three others come. Each answer is "gone" or the refusal. */
    private List<String> removeFourOfFive() throws Exception {
        kernelMayEnd.countDown();
        try (NetworkNamespace host = net.current();
                NetworkNamespace pod = net.create("pod")) {
            List<Integer> indexes = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                host.createVeth(new VethSpec("v" + i, Optional.empty(), "p" + i, pod, Optional.empty()));
                indexes.add(host.link("v" + i).orElseThrow().index());
            }
            List<FutureTask<String>> removals = new ArrayList<>();
            removals.add(removeInThread(host, indexes.get(0)));
            assertThat(firstDeletes.await(5, TimeUnit.MINUTES)).isTrue();
            for (int i = 1; i < 4; i++) {
                removals.add(removeInThread(host, indexes.get(i)));
            }
            Eventually.isTrue("three wait", () -> waiting("BatchedRemoval.join") == 3);
            firstMayGoOn.countDown();
            List<String> answers = new ArrayList<>();
            for (FutureTask<String> answer : removals) {
                answers.add(answer.get(5, TimeUnit.MINUTES));
            }
            return answers;
        }
    }

    private FutureTask<String> removeInThread(NetworkNamespace host, int index) {
        FutureTask<String> task = new FutureTask<>(() -> {
            try {
                removal.remove(host, index);
                return "gone";
            } catch (LinuxNetException e) {
                return String.valueOf(e.getMessage());
            }
        });
        new Thread(task, "removal").start();
        return task;
    }

    /** How many removals wait for their turn. */
    private static long waiting(String where) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("removal") && thread.getState() == Thread.State.WAITING)
                .filter(thread -> List.of(thread.getStackTrace()).toString().contains(where))
                .count();
    }

    /** The fake kernel, whose deletions begin and end at the test's command. */
    private LinuxNet watchedNet() {
        return (LinuxNet) Proxy.newProxyInstance(
                LinuxNet.class.getClassLoader(),
                new Class<?>[] {LinuxNet.class},
                (proxy, method, arguments) -> watched((NetworkNamespace) method.invoke(net, arguments)));
    }

    private NetworkNamespace watched(NetworkNamespace namespace) {
        return (NetworkNamespace) Proxy.newProxyInstance(
                NetworkNamespace.class.getClassLoader(),
                new Class<?>[] {NetworkNamespace.class},
                (proxy, method, arguments) -> {
                    if (method.getName().startsWith("deleteLink")) {
                        boolean several = arguments[0] instanceof Collection<?>;
                        deletions.add(
                                method.getName() + " " + (several ? ((Collection<?>) arguments[0]).size() : "of one"));
                        firstDeletes.countDown();
                        assertThat(firstMayGoOn.await(5, TimeUnit.MINUTES)).isTrue();
                    }
                    try {
                        return method.invoke(namespace, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        if (method.getName().startsWith("deleteLink")) {
                            assertThat(kernelMayEnd.await(5, TimeUnit.MINUTES)).isTrue();
                        }
                    }
                });
    }
}
