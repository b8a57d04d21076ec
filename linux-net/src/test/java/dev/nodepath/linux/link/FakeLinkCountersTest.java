package dev.nodepath.linux.link;

import org.junit.jupiter.api.BeforeEach;

class FakeLinkCountersTest extends LinkCountersContract {
    private static final int NEAR = 2;
    private static final int FAR = 3;

    private final FakeLinkCounters fake = new FakeLinkCounters();

    @BeforeEach
    void setUp() {
        fake.add(new LinkTraffic(NEAR, 0, 0, 0, 0));
        fake.add(new LinkTraffic(FAR, 0, 0, 0, 0));
    }

    @Override
    LinkCounters counters() {
        return fake;
    }

    @Override
    int near() {
        return NEAR;
    }

    @Override
    int far() {
        return FAR;
    }

    @Override
    void send(int datagrams, int payloadBytes) {
        long bytes = (long) datagrams * (payloadBytes + 14 + 20 + 8);
        fake.add(new LinkTraffic(NEAR, 0, datagrams, 0, bytes));
        fake.add(new LinkTraffic(FAR, datagrams, 0, bytes, 0));
    }

    @Override
    void remove() {
        fake.remove(NEAR);
        fake.remove(FAR);
    }
}
