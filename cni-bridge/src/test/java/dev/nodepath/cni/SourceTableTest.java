package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.nftables.NftRefusedException;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The final refusal of a kernel that does not take the table. */
class SourceTableTest {
    private static final Set<Errno> PASSING = EnumSet.of(
            Errno.EAGAIN,
            Errno.EBUSY,
            Errno.EINTR,
            Errno.EMFILE,
            Errno.ENFILE,
            Errno.ENOBUFS,
            Errno.ENOMEM,
            Errno.ERESTART);

    @ParameterizedTest
    @EnumSource
    void aSocketThatCannotBeOpenedIsAProblemUnlessThatMayPass(Errno errno) throws Exception {
        LinuxNetException failure = new LinuxNetException("open netlink", errno.number(), "");
        check(errno, failure, () -> {
            throw failure;
        });
    }

    @ParameterizedTest
    @EnumSource
    void aTableThatIsRefusedIsAProblemUnlessThatMayPass(Errno errno) throws Exception {
        NftRefusedException failure = new NftRefusedException("refused for " + errno, errno, new TreeMap<>());
        check(errno, failure, () -> answering(failure));
    }

    @ParameterizedTest
    @EnumSource
    void aTableThatCannotBeTriedIsAProblemUnlessThatMayPass(Errno errno) throws Exception {
        LinuxNetException failure = new LinuxNetException("try", errno.number(), "");
        check(errno, failure, () -> answering(failure));
    }

    private static void check(Errno errno, IOException failure, SourceTable.Opening opening) throws Exception {
        if (PASSING.contains(errno)) {
            assertThatThrownBy(() -> SourceTable.problem(opening)).isSameAs(failure);
        } else {
            assertThat(SourceTable.problem(opening)).contains(failure.getMessage());
        }
    }

    private static NftTables answering(IOException failure) {
        return (NftTables) Proxy.newProxyInstance(
                SourceTableTest.class.getClassLoader(), new Class<?>[] {NftTables.class}, (self, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        return null;
                    }
                    throw failure;
                });
    }
}
