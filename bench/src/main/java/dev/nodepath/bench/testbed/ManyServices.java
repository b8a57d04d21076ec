package dev.nodepath.bench.testbed;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Further Services besides the measured one, all with the same server. */
public final class ManyServices {
    private static final Duration SERVED_MAX = Duration.ofMinutes(2);
    private static final List<ApiObject.Port> PORTS =
            List.of(new ApiObject.Port("http", "TCP", 80, ContenderNode.HTTP));

    private ManyServices() {}

    /**
     * Adds Services up to a number, and waits until the contender serves them and is idle.
     *
     * @param from the present number
     * @param to the new number
     */
    public static void add(RunningContender contender, int from, int to) throws IOException, InterruptedException {
        if (!contender.contender().followsSlices() || to <= from) {
            return;
        }
        for (int i = from; i < to; i++) {
            contender.apiServer().put(ApiObject.service(name(i), address(i), PORTS));
            contender.apiServer().put(ApiObject.slice(name(i), List.of(ContenderNode.SERVER), List.of(), PORTS));
        }
        for (int i : new int[] {from, (from + to) / 2, to - 1}) {
            contender.awaitAnswer(ContenderAddress.at(address(i), 80), SERVED_MAX);
        }
        contender.awaitRest();
    }

    /** A Service's name; it sorts before the measured one. */
    private static String name(int i) {
        return "scale-%05d".formatted(i);
    }

    private static String address(int i) {
        return "10.97." + (i >> 8) + "." + (i & 255);
    }
}
