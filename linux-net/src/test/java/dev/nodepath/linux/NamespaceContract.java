package dev.nodepath.linux;

import static dev.nodepath.linux.ContractFixture.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.FileNotFoundException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Namespaces: making, naming, opening, entering and their settings. */
interface NamespaceContract extends ContractFixture {

    @Test
    default void namesWhatIsMadeUntilItIsDeleted() throws Exception {
        assertThat(names()).contains(NEAR, FAR).doesNotContain("np-extra");
        net().create("np-extra").close();
        assertThat(names()).contains(NEAR, FAR, "np-extra");
        net().delete("np-extra");
        assertThat(names()).contains(NEAR, FAR).doesNotContain("np-extra");
    }

    @Test
    default void refusesNamesThatAreTakenOrMissing() throws Exception {
        assertRefused(Errno.EEXIST, () -> net().create(NEAR));
        assertRefused(Errno.ENOENT, () -> net().openNamed("np-nobody"));
        assertRefused(Errno.ENOENT, () -> net().delete("np-nobody"));
        assertThat(names()).contains(NEAR);
        assertThat(near().links()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a/b", "/etc/passwd", "a\0b"})
    default void refusesNamesThatNoFileCanHave(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> net().create(name))
                .withMessageContaining("namespace name");
        assertThatIllegalArgumentException().isThrownBy(() -> net().delete(name));
        assertThatIllegalArgumentException().isThrownBy(() -> net().openNamed(name));
        assertThatIllegalArgumentException().isThrownBy(() -> net().path(name));
    }

    @Test
    default void refusesNamesLongerThanAFileName() throws Exception {
        assertThatIllegalArgumentException().isThrownBy(() -> net().create("x".repeat(256)));
        String longest = "x".repeat(255);
        net().create(longest).close();
        net().delete(longest);
    }

    @Test
    default void opensByNamePathAndProcess() throws Exception {
        bridge("here");
        long pid = processInNear();
        assertThat(net().path(NEAR)).isEqualTo(Path.of("/run/netns/" + NEAR));
        try (NetworkNamespace byName = net().openNamed(NEAR);
                NetworkNamespace byPath = net().open(net().path(NEAR));
                NetworkNamespace byProcess = net().open(Path.of("/proc/" + pid + "/ns/net"))) {
            assertThat(byName.link("here")).isPresent();
            assertThat(byPath.link("here")).isPresent();
            assertThat(byProcess.link("here")).isPresent();
        }
        try (NetworkNamespace other = net().openNamed(FAR);
                NetworkNamespace own = net().current()) {
            assertThat(other.link("here")).isEmpty();
            assertThat(own.link("here")).isEmpty();
        }
    }

    @Test
    default void refusesPathsAndProcessesThatAreNone() {
        assertRefused(Errno.ENOENT, () -> net().open(Path.of("/run/netns/np-nobody")));
        assertRefused(Errno.ENOENT, () -> net().open(Path.of("/proc/" + Integer.MAX_VALUE + "/ns/net")));
    }

    @Test
    default void openNamespaceOutlivesItsName() throws Exception {
        NetworkNamespace extra = net().create("np-extra");
        Link link = near().createVeth(new VethSpec("v0", Optional.empty(), "p0", extra, Optional.empty()));
        net().delete("np-extra");
        assertThat(extra.link("p0")).isPresent();
        assertThat(near().link("v0")).contains(link);
        extra.close();
        Eventually.isTrue(
                "the near end goes with the namespace of the far end",
                () -> near().link("v0").isEmpty());
    }

    @Test
    default void nameCanBeUsedAgain() throws Exception {
        try (NetworkNamespace first = net().create("np-extra")) {
            first.createBridge(new BridgeSpec("br0", Optional.empty(), Optional.empty(), false));
            net().delete("np-extra");
            try (NetworkNamespace second = net().create("np-extra")) {
                assertThat(second.link("br0")).isEmpty();
                assertThat(first.link("br0")).isPresent();
            } finally {
                net().delete("np-extra");
            }
        }
    }

    @Test
    default void closedHandleSaysSo() throws Exception {
        NetworkNamespace handle = net().openNamed(NEAR);
        handle.close();
        handle.close();
        assertThatIllegalStateException().isThrownBy(handle::links).withMessageContaining("closed");
        assertThatIllegalStateException()
                .isThrownBy(() -> handle.deleteLink(4711))
                .withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> handle.call(() -> 1)).withMessageContaining("closed");
        assertThatIllegalStateException()
                .isThrownBy(() -> handle.sysctl("net/ipv4/ip_forward"))
                .withMessageContaining("closed");
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> near().createVeth(new VethSpec("v0", Optional.empty(), "p0", handle, Optional.empty())))
                .withMessageContaining("closed");
        assertThat(near().links()).hasSize(1);
    }

    @Test
    default void callRunsOnAThreadOfItsOwnThatEnds() throws Exception {
        Thread inside = near().call(Thread::currentThread);
        assertThat(inside).isNotSameAs(Thread.currentThread());
        inside.join(300_000);
        assertThat(inside.isAlive()).isFalse();
        assertThat(near().<String>call(() -> "done")).isEqualTo("done");
    }

    @Test
    default void callRethrowsWhatTheTaskThrew() {
        LinuxNetException refusal = new LinuxNetException("try", Errno.EBUSY.number(), "");
        RuntimeException unchecked = new UnsupportedOperationException("no");
        Error error = new AssertionError("never");
        Exception checked = new FileNotFoundException("gone");
        assertThatExceptionOfType(LinuxNetException.class)
                .isThrownBy(() -> near().call(() -> {
                    throw refusal;
                }))
                .isSameAs(refusal);
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> near().call(() -> {
                    throw unchecked;
                }))
                .isSameAs(unchecked);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> near().call(() -> {
                    throw error;
                }))
                .isSameAs(error);
        assertThat(assertRefused(
                        Errno.EIO,
                        () -> near().call(() -> {
                            throw checked;
                        })))
                .hasCause(checked);
    }

    @Test
    default void interruptReachesTheTaskAndTheCallerKeepsIt() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        AtomicReference<Object> outcome = new AtomicReference<>("nothing");
        Thread caller = new Thread(() -> {
            try {
                outcome.set(near().<String>call(() -> {
                            started.countDown();
                            try {
                                new CountDownLatch(1).await();
                                return "never";
                            } catch (InterruptedException e) {
                                return "interrupted";
                            }
                        })
                        + " " + Thread.currentThread().isInterrupted());
            } catch (LinuxNetException e) {
                outcome.set(e);
            }
        });
        caller.start();
        started.await();
        caller.interrupt();
        caller.join(300_000);
        assertThat(outcome.get()).isEqualTo("interrupted true");
    }

    @Test
    default void settingsBelongToTheNamespace() throws Exception {
        assertThat(near().sysctl("net/ipv4/ip_forward")).isEqualTo("0");
        near().setSysctl("net/ipv4/ip_forward", "1");
        assertThat(near().sysctl("net/ipv4/ip_forward")).isEqualTo("1");
        assertThat(far().sysctl("net/ipv4/ip_forward")).isEqualTo("0");
        assertThat(near().sysctl("net/ipv4/conf/all/forwarding")).isEqualTo("1");
        near().setSysctl("net/ipv4/conf/all/route_localnet", "1");
        near().setSysctl("net/ipv6/conf/all/forwarding", "1");
        near().setSysctl("net/bridge/bridge-nf-call-iptables", "0");
        assertThat(near().sysctl("net/ipv4/conf/all/route_localnet")).isEqualTo("1");
        assertThat(near().sysctl("net/ipv6/conf/all/forwarding")).isEqualTo("1");
        assertThat(near().sysctl("net/bridge/bridge-nf-call-iptables")).isEqualTo("0");
        assertThat(far().sysctl("net/bridge/bridge-nf-call-iptables")).isEqualTo("1");
    }

    @Test
    default void linksHaveSettingsAsLongAsTheyLive() throws Exception {
        near().setSysctl("net/ipv4/conf/default/arp_notify", "1");
        int link = veth("v0", "p0").index();
        assertThat(near().sysctl("net/ipv4/conf/v0/arp_notify")).isEqualTo("1");
        assertThat(near().sysctl("net/ipv6/conf/v0/accept_dad")).isEqualTo("1");
        near().setSysctl("net/ipv6/conf/v0/accept_dad", "0");
        assertThat(near().sysctl("net/ipv6/conf/v0/accept_dad")).isEqualTo("0");
        near().deleteLink(link);
        assertRefused(Errno.ENOENT, () -> near().sysctl("net/ipv6/conf/v0/accept_dad"));
    }

    @Test
    default void refusesSettingsThatAreNone() {
        assertThat(assertRefused(Errno.ENOENT, () -> near().sysctl("net/ipv4/no_such_thing")))
                .hasMessageContaining("net/ipv4/no_such_thing");
        assertRefused(Errno.ENOENT, () -> near().setSysctl("net/ipv4/conf/nobody/rp_filter", "1"));
        assertRefused(Errno.EINVAL, () -> near().setSysctl("net/ipv4/ip_forward", "yes"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "kernel/hostname",
                "net/../kernel/hostname",
                "net/ipv4/..",
                "/net/ipv4/ip_forward",
                "net//ipv4",
                "net/"
            })
    default void refusesKeysThatLeadElsewhere(String key) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> near().sysctl(key))
                .withMessageContaining("net/ipv4/ip_forward");
        assertThatIllegalArgumentException().isThrownBy(() -> near().setSysctl(key, "1"));
    }
}
