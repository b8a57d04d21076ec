package dev.nodepath.cni;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.CniResult;
import dev.nodepath.cni.protocol.CniVariable;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.cni.protocol.JsonParsing;
import dev.nodepath.cni.protocol.ResultParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Address management by another plugin, with this call's environment and whole configuration: CNI specification 1.1.0
 * section "Delegated plugins".
 */
final class DelegatedIpam implements Ipam {
    private final String type;
    private final Call call;

    /**
     * Uses the plugin of a type. It is searched when it runs, so a DEL removes the link even if the plugin is missing.
     */
    DelegatedIpam(String type, Call call) {
        this.type = type;
        this.call = call;
    }

    /**
     * Refuses a type that is not on {@code CNI_PATH}, before any change.
     *
     * @throws CniException code 7
     */
    void requirePlugin() throws CniException {
        program();
    }

    /** Always true, as in upstream's bridge plugin: another plugin may use the link. */
    @Override
    public boolean needsLink() {
        return true;
    }

    @Override
    public Result add(boolean again) throws CniException, IOException {
        if (again) {
            del(); // other plugins refuse a second ADD, or give a second address
        }
        PluginProgram program = program();
        CniResult result;
        try {
            result = ResultParser.parse(JsonParsing.object(program.run("ADD", call)));
            if (result.ips().isEmpty()) {
                throw new CniException(
                        ErrorCode.INTERNAL, "IPAM plugin returned missing IP config", "by " + program.path());
            }
        } catch (CniException | IOException e) {
            takeBack(e);
            throw e;
        }
        List<Address> addresses = new ArrayList<>();
        for (CniResult.Ip ip : result.ips()) {
            addresses.add(new Address(ip.address(), ip.gateway()));
        }
        return new Result(addresses, result.routes(), result.dns(), true);
    }

    /** A failed ADD of the delegate may have made some changes. */
    private void takeBack(Exception problem) {
        try {
            del();
        } catch (CniException | IOException e) {
            problem.addSuppressed(e);
        }
    }

    @Override
    public void del() throws CniException, IOException {
        run("DEL");
    }

    @Override
    public void check() throws CniException, IOException {
        run("CHECK");
    }

    @Override
    public void status() throws CniException, IOException {
        runIfKnown("STATUS");
    }

    @Override
    public Set<Attachment> attachments() {
        return Set.of();
    }

    @Override
    public void gc(Set<Attachment> valid) throws CniException, IOException {
        runIfKnown("GC");
    }

    /** Plugins older than CNI 1.1.0 lack STATUS and GC. That is no error. */
    private void runIfKnown(String command) throws CniException, IOException {
        try {
            run(command);
        } catch (CniException e) {
            boolean unknown =
                    e.text().contains("unknown CNI_COMMAND") || e.code() == ErrorCode.INCOMPATIBLE_VERSION.number();
            if (!unknown) {
                throw e;
            }
        }
    }

    private void run(String command) throws CniException, IOException {
        program().run(command, call);
    }

    private PluginProgram program() throws CniException {
        return PluginProgram.find(type, call.variables().getOrDefault(CniVariable.CNI_PATH.name(), ""));
    }
}
