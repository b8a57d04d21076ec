package dev.nodepath.cni.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Errno;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.Link;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import dev.nodepath.linux.VethSpec;
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

@Timeout(60)
class GatheredRemovalTest {
    private final FakeLinuxNet net = new FakeLinuxNet();
    private final GatheredRemoval removal = new GatheredRemoval();
    private final List<String> deletions = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch firstDeletes = new CountDownLatch(1);
    private final CountDownLatch firstMayGoOn = new CountDownLatch(1);

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
        try (NetworkNamespace host = watched(net.current())) {
            removal.remove(host, 4711);
            int lo = host.link("lo").orElseThrow().index();
            assertThat(removeInThread(host, lo).get(30, TimeUnit.SECONDS)).contains("EOPNOTSUPP");
        }
    }

    /** The first is being deleted while three others come. Each answer is "gone" or the refusal. */
    private List<String> removeFourOfFive() throws Exception {
        try (NetworkNamespace host = watched(net.current());
                NetworkNamespace pod = net.create("pod")) {
            List<Integer> indexes = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                host.createVeth(new VethSpec("v" + i, Optional.empty(), "p" + i, pod, Optional.empty()));
                indexes.add(host.link("v" + i).orElseThrow().index());
            }
            List<FutureTask<String>> removals = new ArrayList<>();
            removals.add(removeInThread(host, indexes.get(0)));
            assertThat(firstDeletes.await(30, TimeUnit.SECONDS)).isTrue();
            for (int i = 1; i < 4; i++) {
                removals.add(removeInThread(host, indexes.get(i)));
            }
            while (waiting() < 3) {
                Thread.onSpinWait();
            }
            firstMayGoOn.countDown();
            List<String> answers = new ArrayList<>();
            for (FutureTask<String> answer : removals) {
                answers.add(answer.get(30, TimeUnit.SECONDS));
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
    private static long waiting() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("removal") && thread.getState() == Thread.State.WAITING)
                .filter(thread -> List.of(thread.getStackTrace()).toString().contains("GatheredRemoval.join"))
                .count();
    }

    /** The fake namespace, whose first deletion takes as long as the test likes. */
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
                        assertThat(firstMayGoOn.await(30, TimeUnit.SECONDS)).isTrue();
                    }
                    try {
                        return method.invoke(namespace, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
