package dev.nodepath.linux.conntrack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.ConntrackFlow.Tuple;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The common part of all {@link Conntrack}s. */
@Timeout(900)
class ConntrackTest {
    private static final IpAddress SELF = IpAddress.parse("127.0.0.1");
    private static final ConntrackFlow FLOW =
            new ConntrackFlow(17, new Tuple(SELF, SELF, 1, 2, 0), new Tuple(SELF, SELF, 2, 1, 0), 0, 1);

    /** Has more flows than one turn finds. */
    private static final class Endless implements Conntrack {
        private int left;

        /** So many turns remove something. */
        Endless(int turns) {
            left = turns;
        }

        @Override
        public List<ConntrackFlow> find(FlowFilter filter, Predicate<ConntrackFlow> wanted) {
            return Collections.nCopies(left < 0 ? 0 : FOUND_MAX, FLOW);
        }

        @Override
        public List<ConntrackFlow> findAmongAll(Predicate<ConntrackFlow> wanted) {
            return find(FlowFilter.of(IpFamily.IPV4, 17), wanted);
        }

        @Override
        public Optional<ConntrackFlow> get(int protocol, Tuple original) {
            return Optional.of(FLOW);
        }

        @Override
        public int delete(List<ConntrackFlow> flows) {
            return left-- > 0 ? 1 : 0;
        }

        @Override
        public void close() {}
    }

    @Test
    void endsWhenNothingCanBeRemoved() {
        assertThatThrownBy(() -> new Endless(2).deleteAll(IpFamily.IPV4, 17, flow -> true))
                .isInstanceOf(LinuxNetException.class)
                .hasMessage("delete IPv4 17 flows: EBUSY (none of 100000 was removed)");
    }

    @Test
    void goesOnWhileSomethingIsRemoved() throws LinuxNetException {
        FakeConntrack conntrack = new FakeConntrack();
        for (int i = 0; i < Conntrack.FOUND_MAX + 1; i++) {
            conntrack.add(new ConntrackFlow(17, FLOW.original(), FLOW.reply(), 0, 1));
        }
        assertThat(conntrack.deleteAll(IpFamily.IPV4, 17, flow -> true)).isEqualTo(Conntrack.FOUND_MAX + 1);
    }
}
