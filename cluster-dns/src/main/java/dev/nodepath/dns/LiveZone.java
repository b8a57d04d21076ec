package dev.nodepath.dns;

import java.time.InstantSource;
import java.util.function.UnaryOperator;

/** The newest zone. Any thread may read it; changes are applied one after the other. */
public final class LiveZone {
    private volatile Zone zone;
    private final InstantSource clock;

    /** Begins with a zone. */
    public LiveZone(Zone first, InstantSource clock) {
        this.zone = first;
        this.clock = clock;
    }

    /** The present zone. */
    Zone current() {
        return zone;
    }

    /** Changes the zone. The serial number becomes the time. */
    synchronized void change(UnaryOperator<Zone> change) {
        long now = clock.instant().getEpochSecond();
        zone = change.apply(zone).withSerial(now);
    }
}
