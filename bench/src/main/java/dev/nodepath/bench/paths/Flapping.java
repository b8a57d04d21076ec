package dev.nodepath.bench.paths;

import dev.nodepath.bench.testbed.ApiObject;
import dev.nodepath.bench.testbed.Command;
import dev.nodepath.bench.testbed.ContenderAddress;
import dev.nodepath.bench.testbed.ContenderNode;
import dev.nodepath.bench.testbed.RunningContender;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A Service with two endpoints. The second one stops and starts again: it becomes unready, refuses connections {@value
 * #NOTICE_MILLIS} ms later, listens again after a pause and becomes ready. Other Services change meanwhile.
 */
final class Flapping implements AutoCloseable {
    static final String CLUSTER_IP = "10.96.0.12";
    static final int PORT = 8081;
    static final int NOTICE_MILLIS = 50;

    private static final int PAUSE_MILLIS = 150;
    private static final int OTHERS = 50;
    private static final int OTHERS_AT_ONCE = 10;
    private static final String SERVICE = "churn";
    private static final List<ApiObject.Port> PORTS = List.of(new ApiObject.Port("http", "TCP", 80, PORT));
    private static final Duration COMMAND_MAX = Duration.ofSeconds(10);
    private static final Duration START_MAX = Duration.ofSeconds(10);

    /** Its master needs SIGQUIT, and children of the JVM inherit it blocked. */
    private static final String NGINX = """
            worker_processes 1;
            daemon off;
            pid %1$s.pid;
            error_log %1$s.log;
            events { worker_connections 4096; }
            http {
              access_log off;
              server {
                listen %2$s:8081 backlog=4096;
                default_type application/json;
                location / { return 200 '{"pod":"$server_addr","source":"$remote_addr"}\\n'; }
              }
            }
            """;

    private final RunningContender contender;
    private final Process steady;
    private Process flapping;
    private int changes;

    /** Starts both endpoints and marks them ready. */
    Flapping(RunningContender contender) throws IOException, InterruptedException {
        this.contender = contender;
        for (int i = 0; i < OTHERS; i++) {
            contender.apiServer().put(ApiObject.service("other-" + i, "10.98.0." + (i + 1), PORTS));
            contender.apiServer().put(ApiObject.slice("other-" + i, List.of(ContenderNode.SERVER), List.of(), PORTS));
        }
        steady = start("churn-1", ContenderNode.SERVER);
        flapping = start("churn-2", ContenderNode.SECOND_SERVER);
        contender.apiServer().put(ApiObject.service(SERVICE, CLUSTER_IP, PORTS));
        say(true);
        if (contender.contender().followsSlices()) {
            contender.awaitAnswer(ContenderAddress.at(CLUSTER_IP, 80), START_MAX);
        }
    }

    /** Stops the second endpoint once and starts it again. */
    void cycle() throws IOException, InterruptedException {
        say(false);
        pause(NOTICE_MILLIS);
        // At SIGQUIT it closes its listening sockets at once, and answers accepted requests.
        Command.output(List.of("kill", "-QUIT", Long.toString(flapping.pid())), COMMAND_MAX);
        contender.lane().ended(flapping);
        pause(PAUSE_MILLIS);
        flapping = start("churn-2", ContenderNode.SECOND_SERVER);
        say(true);
        pause(PAUSE_MILLIS);
    }

    int changes() {
        return changes;
    }

    @Override
    public void close() throws IOException {
        contender.lane().end(flapping);
        contender.lane().end(steady);
    }

    private Process start(String name, String address) throws IOException, InterruptedException {
        String base = contender.lane().file(name, "");
        String config = contender.lane().file(name + ".conf", NGINX.formatted(base, address));
        Process process = contender.lane().startInServer(List.of("nginx", "-e", base + ".log", "-c", config), name);
        contender.awaitAnswer(ContenderAddress.at(address, PORT), START_MAX);
        return process;
    }

    private void say(boolean ready) {
        List<String> both = List.of(ContenderNode.SERVER, ContenderNode.SECOND_SERVER);
        contender
                .apiServer()
                .put(
                        ready
                                ? ApiObject.slice(SERVICE, both, List.of(), PORTS)
                                : ApiObject.slice(
                                        SERVICE,
                                        List.of(ContenderNode.SERVER),
                                        List.of(ContenderNode.SECOND_SERVER),
                                        PORTS));
        for (int i = 0; i < OTHERS_AT_ONCE; i++) {
            String other = "other-" + (changes++ % OTHERS);
            contender
                    .apiServer()
                    .put(ApiObject.slice(other, ready ? both : List.of(ContenderNode.SERVER), List.of(), PORTS));
        }
    }

    private static void pause(int millis) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(left);
        }
    }
}
