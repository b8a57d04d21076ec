package dev.nodepath.bench.testbed;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.ObjectRules;
import dev.nodepath.apiserver.ObjectSchema;
import dev.nodepath.apiserver.http.ApiServer;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.apiserver.stream.PodStreams;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.Optional;

/**
 * The API server of a contender. It listens without TLS on the loopback address of the node, so kube-proxy and
 * Nodepath get the same objects in the same way. Its objects are stored unchanged. There is no ServiceCIDR, because a
 * proxy would reject addresses in it that the bench measures before their Services exist.
 */
public final class BenchApiServer implements AutoCloseable {
    static final String NAMESPACE = "default";

    /** More than the changes of a run: no contender has to list again. */
    private static final int HISTORY_MAX = 100_000;

    private final ClusterApi api =
            new ClusterApi(new ObjectStore(1, HISTORY_MAX), ObjectRules.NONE, InstantSource.system());
    private final NetworkNamespace namespace;
    private final InetSocketAddress address;
    private ApiServer server = server();

    /** Starts to listen in a namespace, without objects. */
    public BenchApiServer(NetworkNamespace namespace) throws IOException {
        ObjectNode created = Json.MAPPER.createObjectNode();
        created.putObject("metadata").put("name", NAMESPACE);
        api.create(Resources.NAMESPACES, created);
        this.namespace = namespace;
        address = listen(0);
    }

    private ApiServer server() {
        return new ApiServer(api, ObjectSchema.NONE, PodStreams.NONE, Optional.empty(), OldSlices::new);
    }

    private InetSocketAddress listen(int port) throws IOException {
        return namespace.call(() -> server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    }

    /** Ends all connections and listens again at the same address, with the same objects. */
    public void restart() throws IOException {
        server.close();
        server = server();
        InetSocketAddress again = listen(address.getPort());
        assert again.equals(address);
    }

    /** The server's URL, as seen from its namespace. */
    public String url() {
        return "http://127.0.0.1:" + address.getPort();
    }

    /** Adds or changes an object; every open watch then sends the event. */
    public void put(ApiObject object) {
        if (api.find(object.resource(), ObjectKey.of(object.tree())).isPresent()) {
            api.update(object.resource(), object.tree());
        } else {
            api.create(object.resource(), object.tree());
        }
    }

    /** Removes an object at once, and does nothing if it is not there. */
    public void remove(ApiObject object) {
        ObjectKey key = ObjectKey.of(object.tree());
        if (api.find(object.resource(), key).isPresent()) {
            api.delete(object.resource(), key, Deletion.NOW);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
