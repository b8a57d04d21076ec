package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodTroubleTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            Pending                        | false | {}
            Running                        | false | {'phase':'Running'}
            Succeeded                      | true  | {'phase':'Succeeded'}
            CreateContainerConfigError: no | true  | {'containerStatuses':[{'state':{'waiting':{'reason':'CreateContainerConfigError','message':'no'}}}]}
            0/2 nodes                      | true  | {'conditions':[{'type':'PodScheduled','status':'False','message':'0/2 nodes'}]}
            unready: [a]                   | false | {'conditions':[{'type':'Ready','status':'False','message':'unready: [a]'}]}
            CrashLoopBackOff: back-off 10s | true  | {'containerStatuses':[{'state':{'waiting':{'reason':'CrashLoopBackOff','message':'back-off 10s'}}}],'conditions':[{'type':'Ready','status':'False','message':'unready'}]}
            CrashLoopBackOff: back-off 10s | true  | {'initContainerStatuses':[{'state':{'waiting':{'reason':'CrashLoopBackOff','message':'back-off 10s'}}}],'conditions':[{'type':'Ready','status':'False','message':'unready'}]}
            CrashLoopBackOff: for 10s: lost | true | {'containerStatuses':[{'state':{'waiting':{'reason':'CrashLoopBackOff','message':'for 10s'}},'lastState':{'terminated':{'message':'lost'}}}]}
            Pending                        | false | {'containerStatuses':[{'state':{'waiting':{'reason':'ContainerCreating'}}}]}
            """)
    void saysWhyAPodIsNotReady(String trouble, boolean stuck, String status) throws JsonProcessingException {
        ObjectNode pod = (ObjectNode) JSON.readTree(("{'status':" + status + "}").replace('\'', '"'));

        assertThat(PodTrouble.of(pod)).isEqualTo(trouble);
        assertThat(PodTrouble.isStuck(pod)).isEqualTo(stuck);
    }
}
