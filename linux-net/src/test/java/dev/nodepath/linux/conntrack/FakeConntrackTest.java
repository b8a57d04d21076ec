package dev.nodepath.linux.conntrack;

import dev.nodepath.linux.address.IpAddress;

class FakeConntrackTest extends ConntrackContract {
    private static final IpAddress SELF = IpAddress.parse("127.0.0.1");

    private final FakeConntrack fake = new FakeConntrack();
    private int lastId;

    @Override
    Conntrack conntrack() {
        return fake;
    }

    @Override
    void track(int port) {
        fake.add(new ConntrackFlow(
                17,
                new ConntrackFlow.Tuple(SELF, SELF, 40000, port, 0),
                new ConntrackFlow.Tuple(SELF, SELF, port, 40000, 0),
                0,
                ++lastId));
    }
}
