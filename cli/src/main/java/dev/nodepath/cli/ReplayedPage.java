package dev.nodepath.cli;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.emulator.page.PageFraming;
import dev.nodepath.page.Recording;
import dev.nodepath.page.RecordingException;
import dev.nodepath.page.RecordingReader;
import dev.nodepath.page.http.PageServer;
import dev.nodepath.page.http.PageToken;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Shows a recording of the live page, without a cluster. */
final class ReplayedPage {
    private ReplayedPage() {}

    /** Prints the address and serves until a signal ends the process. */
    static int serve(Path file, PageAddress where, PrintWriter out)
            throws CommandException, IOException, InterruptedException {
        InetAddress address = where.address().toInetAddress();
        if (!address.isLoopbackAddress()) {
            throw CommandException.wrongUsage(
                    List.of("ADDRESS: \"" + where.address() + "\" (expected with --replay: one of loopback)"));
        }
        // Netty names its channels after a hardware address, and complains where no link has one.
        System.setProperty("io.netty.machineId", "02:00:00:00:00:01");
        PageToken token = PageToken.random();
        try (PageServer server = PageServer.replay(read(file), token, new PageFraming())) {
            int port = listen(server, address, where);
            out.println(PageLink.link(where, port, token));
            out.flush();
            new CountDownLatch(1).await();
            return 0;
        }
    }

    private static Recording read(Path file) throws CommandException {
        try {
            return RecordingReader.read(file);
        } catch (RecordingException e) {
            throw CommandException.wrongUsage(List.of("--replay: " + file + ": " + e.getMessage()));
        } catch (NoSuchFileException e) {
            throw CommandException.wrongUsage(List.of("--replay: " + file + ": no such file"));
        } catch (IOException e) {
            throw CommandException.wrongUsage(List.of("--replay: " + file + ": it cannot be read: " + e.getMessage()));
        }
    }

    private static int listen(PageServer server, InetAddress address, PageAddress where) throws IOException {
        for (int port = where.firstPort(); ; port++) {
            try {
                return server.listen(new InetSocketAddress(address, port)).getPort();
            } catch (IOException e) {
                if (port == where.lastPort()) {
                    throw e;
                }
            }
        }
    }
}
