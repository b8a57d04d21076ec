package dev.nodepath.emulator;

import dev.nodepath.emulator.cluster.ForwardedSockets;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.page.ClusterPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens the live page of the running cluster to this machine. */
final class PageLink {
    private PageLink() {}

    /**
     * Opens a socket and gives it to the cluster.
     *
     * @return the address for a browser. The token is behind the {@code #}, which no browser sends to anybody.
     */
    static String open(ClusterRecord record, PageAddress where) throws IOException {
        Path folder = record.inside(Enclosure.RUN);
        int port = ForwardedSockets.send(
                folder.resolve(ClusterPage.SOCKET), where.address(), where.firstPort(), where.lastPort());
        String token = Files.readString(folder.resolve(ClusterPage.TOKEN));
        return "http://" + where.address().withPort(port) + "/#token=" + token;
    }
}
