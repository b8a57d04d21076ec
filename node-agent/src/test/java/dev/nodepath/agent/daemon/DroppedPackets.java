package dev.nodepath.agent.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The packets that the machine has dropped because a processor had too many to work off, in any namespace ({@code
 * /proc/net/softnet_stat}, second column). A connection attempt may time out for this reason alone.
 */
final class DroppedPackets {
    private static final Path STATISTICS = Path.of("/proc/net/softnet_stat");
    private static final int HEXADECIMAL = 16;

    private DroppedPackets() {}

    static long ofTheMachine() throws IOException {
        long dropped = 0;
        for (String processor : Files.readAllLines(STATISTICS)) {
            dropped += Long.parseLong(processor.split(" ", -1)[1], HEXADECIMAL);
        }
        return dropped;
    }
}
