package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A container whose work the built-in server does. The server is in this process, so a substitute process is the
 * container's process 1. It starts when a process enters the container, or when another container may see its
 * processes. Its end also ends the server.
 */
final class StandIn implements Container {
    private static final Logger LOG = LoggerFactory.getLogger(StandIn.class);
    /** Ends in order when it is asked to, and when this process is gone. */
    private static final List<String> COMMAND = List.of("bash", "-pc", "trap 'exit 0' TERM INT; read -r _", "server");

    private final Container server;
    private final String name;
    private final EntryScript script;
    private final ContainerLog log;
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private @Nullable Container process;
    private boolean stopped;

    private StandIn(Container server, String name, EntryScript script, ContainerLog log) {
        this.server = server;
        this.name = name;
        this.script = script;
        this.log = log;
    }

    /** The folder in which the entering script asks for a process 1. */
    static Path wanted(Path folder) {
        return folder.resolve("wanted");
    }

    /** Asks for the process 1 of the container in this folder, if it starts only on demand. */
    static void want(Path folder) throws IOException {
        Path wanted = wanted(folder);
        if (Files.isDirectory(wanted)) {
            Files.createTempFile(wanted, "", "");
        }
    }

    /**
     * The server's container.
     *
     * @param script written for this run
     */
    static StandIn of(Container server, String name, EntryScript script, ContainerLog log) throws IOException {
        StandIn made = new StandIn(server, name, script, log);
        Path wanted = wanted(script.folder());
        PodFolder.delete(wanted);
        Files.createDirectories(wanted);
        if (script.sharesProcesses()) {
            made.begin();
        } else {
            Watcher.get().watch(wanted, made::begin);
        }
        var unused = server.ended().thenAccept(made::finish);
        return made;
    }

    @Override
    public CompletableFuture<Integer> ended() {
        return ended;
    }

    @Override
    public synchronized boolean ranOutOfMemory() {
        return process != null && process.ranOutOfMemory();
    }

    @Override
    public void serve(Set<Integer> ports) throws IOException {
        server.serve(ports);
    }

    @Override
    public void stop(Duration grace) throws InterruptedException {
        server.stop(grace);
    }

    private synchronized void begin() {
        if (stopped || process != null) {
            return;
        }
        try {
            Container started = ContainerProcess.start(name, script, COMMAND, Console.HELD, log);
            process = started;
            var unused = started.ended().thenAccept(this::end);
        } catch (IOException | RuntimeException e) {
            LOG.atWarn()
                    .addKeyValue("pod", name)
                    .addKeyValue("problem", e.getMessage())
                    .log("container.no_process");
            forgetWanted();
        }
    }

    /** Ends the wait of processes that enter the container. */
    private void forgetWanted() {
        try {
            PodFolder.delete(wanted(script.folder()));
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("pod", name)
                    .addKeyValue("problem", e.getMessage())
                    .log("container.files_left");
        }
    }

    /** The process has ended: a process in the container has asked it to. */
    private void end(int exitCode) {
        synchronized (this) {
            if (stopped) {
                // The server has ended first, and its exit code counts.
                return;
            }
        }
        ended.complete(exitCode);
        try {
            server.stop(Duration.ZERO);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The server has ended. */
    private void finish(int exitCode) {
        Container running;
        synchronized (this) {
            stopped = true;
            running = process;
        }
        forgetWanted();
        try {
            if (running != null) {
                running.stop(Duration.ZERO);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.complete(exitCode);
        }
    }

    /** Waits for the first file in each of several folders. One watcher serves all of this process. */
    private static final class Watcher {
        private static @Nullable Watcher started;

        private final WatchService service;
        private final Map<WatchKey, Runnable> waiting = new ConcurrentHashMap<>();

        private Watcher() throws IOException {
            service = FileSystems.getDefault().newWatchService();
        }

        static synchronized Watcher get() throws IOException {
            Watcher known = started;
            if (known == null) {
                known = new Watcher();
                started = known;
                Thread thread = new Thread(known::run, "stand-ins");
                thread.setDaemon(true);
                thread.start();
            }
            return known;
        }

        void watch(Path folder, Runnable then) throws IOException {
            synchronized (waiting) {
                waiting.put(folder.register(service, StandardWatchEventKinds.ENTRY_CREATE), then);
            }
            String[] there = folder.toFile().list();
            if (there != null && there.length > 0) {
                then.run();
            }
        }

        private void run() {
            try {
                while (true) {
                    WatchKey key = service.take();
                    Runnable then;
                    synchronized (waiting) {
                        then = waiting.remove(key);
                    }
                    key.cancel();
                    if (then != null) {
                        then.run();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
